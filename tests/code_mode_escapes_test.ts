/** Ways out of the process of a script, with the sandbox and without it; each works for a process with all permissions. */
import assert from "node:assert/strict";
import { type Escape, ESCAPES, type Outside } from "./_support/scripts/escapes.ts";
import { until } from "./_support/deadline.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const CONTROL = new URL("_support/scripts/all_permissions.ts", import.meta.url).pathname;
const environment = { ESCAPE_VALUE: "MARKER in a variable" };

/** Something outside that notes what is done to it. */
class Target implements AsyncDisposable {
  readonly outside: Outside;
  readonly #listener: Deno.TcpListener;
  readonly #child: Deno.ChildProcess | undefined;
  #isDead = false;
  #connections = 0;

  constructor(bench: Workbench, name: string, aim: Escape["aim"]) {
    const secret = bench.write(`${bench.elsewhere}/${name}/secret.json`, '{ "m": "MARKER in a file" }\n');
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.#child = aim === "kills" ? new Deno.Command("sleep", { args: ["120"] }).spawn() : undefined;
    const { port } = this.#listener.addr;
    // Nothing else uses the id.
    this.outside = { secret, directory: `${bench.elsewhere}/${name}`, port, victim: this.#child?.pid ?? 0 };
    void this.#child?.status.then(() => this.#isDead = true);
    void this.#accept();
  }

  /** Whether an attempt with this aim and value had its effect. Forgets it. */
  async hasEffect(aim: Escape["aim"], value: string): Promise<boolean> {
    const made = `${this.outside.directory}/made`;
    if (aim === "reads") return value.includes("MARKER");
    if (aim === "connects") return this.#connections > 0;
    if (aim === "kills") return this.#isDead;
    const isMade = await Deno.lstat(made).then(() => true, () => false);
    if (isMade) await Deno.remove(made);
    return isMade;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    if (!this.#isDead) this.#child?.kill("SIGKILL");
    await this.#child?.status;
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      this.#connections++;
      const writer = connection.writable.getWriter();
      await writer.write(
        new TextEncoder().encode("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
      );
      connection.close();
    }
  }
}

/** The value of a body in a process with all permissions. */
async function withAllPermissions(code: string, cwd: string): Promise<string> {
  const args = ["run", "--quiet", "-A", "--no-prompt", "--no-config", CONTROL];
  const child = new Deno.Command(Deno.execPath(), { args, cwd, env: environment, stdin: "piped", stdout: "piped" })
    .spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(code));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}

/** One script of all bodies, one after the other; its value lists theirs, or why each failed. */
function inTurn(bodies: readonly string[]): string {
  const attempts = bodies.map((body) => `async () => {${body}\n}`);
  return `const values = [];
    for (const attempt of [${attempts.join(",\n")}]) {
      try { values.push(String(await attempt())); } catch (error) { values.push("refused: " + error); }
    }
    return values`;
}

/** Tries each on a target of its own; gives the titles of those that had their effect. */
async function effective(
  bench: Workbench,
  name: string,
  { escapes, run, sees }: {
    readonly escapes: readonly Escape[];
    /** The list that a script returns. */
    readonly run: (code: string) => Promise<readonly string[]>;
    /** Whether an effect is seen. */
    readonly sees: (effect: () => Promise<boolean>) => Promise<boolean>;
  },
): Promise<readonly string[]> {
  await using stack = new AsyncDisposableStack();
  const targets = escapes.map(({ aim }, number) => stack.use(new Target(bench, `${name}-${number}`, aim)));
  const values = await run(inTurn(targets.map(({ outside }, number) => escapes[number]?.code(outside) ?? "")));
  assert.strictEqual(values.length, escapes.length, `each is tried: ${values}`);
  const titles: string[] = [];
  for (const [number, { aim, title }] of escapes.entries()) {
    const [target, value = ""] = [targets[number], values[number]];
    if (target !== undefined && await sees(() => target.hasEffect(aim, value))) titles.push(`${aim} by ${title}`);
  }
  return titles.toSorted();
}

Deno.test("K11 no way out of the process of a script leads to a file, network, program or variable, also without a sandbox", async () => {
  using bench = new Workbench();
  const all = ESCAPES.map(({ aim, title }) => `${aim} by ${title}`).toSorted();
  const control = {
    escapes: ESCAPES,
    run: async (code: string) => JSON.parse(await withAllPermissions(code, bench.elsewhere)),
    sees: (effect: () => Promise<boolean>) => until(effect, 2_000, "the effect of a control"),
  };
  assert.deepStrictEqual(await effective(bench, "control", control), all);
  // The runtime refuses them alike in the sandbox, which adds to that: one of each aim is tried there.
  const first = ESCAPES.filter(({ aim }, at) => ESCAPES.findIndex((one) => one.aim === aim) === at);
  for (const [flags, escapes] of [[[], first], [["--no-sandbox"], ESCAPES]] as const) {
    await using server = await ServerProcess.start(bench, {
      flags: ["--code-mode", "all", "--sync", "--timeout", "60", ...flags],
      environment,
    });
    const script = async (code: string) => (await server.call("run_script", { code }, { deadline: 90_000 })).text;
    const run = async (code: string) => {
      const text = await script(code);
      return JSON.parse(text.slice(0, Math.max(text.lastIndexOf("\n[script: "), 0)) || assert.fail(text));
    };
    const sees = (effect: () => Promise<boolean>) => effect();
    assert.deepStrictEqual(await effective(bench, `script${flags.length}`, { escapes, run, sees }), []);
    assert.match(await script("return 'lives'"), /^"lives"/);
  }
});
