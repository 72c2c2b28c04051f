/** Ways out of the process of a script, with the sandbox and without it; each works for a process with all permissions. */
import assert from "node:assert/strict";
import { ESCAPES, type Outside } from "./_support/scripts/escapes.ts";
import { until } from "./_support/deadline.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const CONTROL = new URL("_support/scripts/all_permissions.ts", import.meta.url).pathname;
const environment = { ESCAPE_VALUE: "MARKER in a variable" };

/** Something outside that notes what is done to it. */
class Target implements AsyncDisposable {
  readonly outside: Outside;
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #child = new Deno.Command("sleep", { args: ["120"] }).spawn();
  #isDead = false;
  #connections = 0;

  constructor(bench: Workbench, name: string) {
    const secret = bench.write(`${bench.elsewhere}/${name}/secret.json`, '{ "m": "MARKER in a file" }\n');
    const { port } = this.#listener.addr as Deno.NetAddr;
    this.outside = { secret, directory: `${bench.elsewhere}/${name}`, port, victim: this.#child.pid };
    void this.#child.status.then(() => this.#isDead = true);
    void this.#accept();
  }

  /** Whether an attempt with this aim and value had its effect. Forgets it. */
  async hasEffect(aim: string, value: string): Promise<boolean> {
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
    if (!this.#isDead) this.#child.kill("SIGKILL");
    await this.#child.status;
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

/** Tries each on a target of its own, four at once; gives the titles of those that had their effect. */
async function effective(
  bench: Workbench,
  name: string,
  { run, sees }: {
    readonly run: (code: string) => Promise<string>;
    /** Whether an effect is seen. */
    readonly sees: (effect: () => Promise<boolean>) => Promise<boolean>;
  },
): Promise<readonly string[]> {
  const titles: string[] = [];
  const attempts = ESCAPES.entries();
  const tryOnes = async () => {
    for (const [number, { aim, title, code }] of attempts) {
      await using target = new Target(bench, `${name}-${number}`);
      const value = await run(code(target.outside));
      if (await sees(() => target.hasEffect(aim, value))) titles.push(`${aim} by ${title}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, tryOnes));
  return titles.toSorted();
}

Deno.test("K11 no way out of the process of a script leads to a file, network, program or variable, also without a sandbox", async () => {
  using bench = new Workbench();
  const all = ESCAPES.map(({ aim, title }) => `${aim} by ${title}`).toSorted();
  const control = {
    run: (code: string) => withAllPermissions(code, bench.elsewhere),
    sees: (effect: () => Promise<boolean>) => until(effect, 2_000, "the effect of a control"),
  };
  assert.deepStrictEqual(await effective(bench, "control", control), all);
  for (const flags of [[], ["--no-sandbox"]]) {
    await using server = await ServerProcess.start(bench, {
      flags: ["--code-mode", "all", "--sync", "--timeout", "20", ...flags],
      environment,
    });
    const script = async (code: string) => (await server.call("run_script", { code }, { deadline: 60_000 })).text;
    assert.deepStrictEqual(
      await effective(bench, `script${flags.length}`, { run: script, sees: (effect) => effect() }),
      [],
    );
    assert.match(await script("return 'lives'"), /^"lives"/);
  }
});
