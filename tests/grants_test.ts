/** What a person allows for good, lists, takes back, and answers in a terminal (S36, L12). */
import assert from "node:assert/strict";
import type { ElicitResult } from "@modelcontextprotocol/client";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { until } from "./_support/deadline.ts";
import { namesHere } from "./_support/names_here.ts";
import { ServerProcess, type StartOptions } from "./_support/server_process.ts";
import { type Ran, runProgram } from "./_support/terminal.ts";
import { exists, ORDINARY_ID, type User, usersAtHand, Workbench } from "./_support/workbench.ts";

/** Runs a shell line to its end. */
type Shell = (command: string) => Promise<{ readonly text: string }>;

interface Stage {
  readonly bench: Workbench;
  readonly port: number;
  /** The file of what is kept. */
  readonly file: string;
  /** Starts a server that asks; its scope is the bench's. */
  start(options?: StartOptions): Promise<ServerProcess>;
  /** `ahma_mcp grants` with these words. */
  grants(...words: readonly string[]): Promise<Ran>;
  /** What a command of the server gets from a host, or why it gets nothing. */
  reach(server: { readonly shell: Shell }, host: string): Promise<string>;
}

async function withStage(act: (stage: Stage) => Promise<void>, user: User = usersAtHand()[0] ?? "root") {
  using bench = new Workbench(user);
  const greeter = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => new Response("greetings"));
  const { port } = greeter.addr;
  const flags = ["--network", `listed.example.test:${port}`, "--ask", "network"];
  const hosts = ["one", "two"].map((name) => `${name}.example.test`);
  try {
    await act({
      bench,
      port,
      file: `${bench.home}/.local/state/ahma/grants/grants.json`,
      start: (options = {}) =>
        ServerProcess.start(bench, {
          ...options,
          flags: [...flags, ...hosts.flatMap((host) => ["--allow-private-hosts", host]), ...options.flags ?? []],
          prefix: namesHere(bench, hosts.join(" ")),
          permissions: ["--allow-net"],
        }),
      grants: (...words) => runProgram(bench, ["grants", ...words]),
      reach: async (server, host) => (await server.shell(`curl -sS -m 20 http://${host}.example.test:${port}/`)).text,
    });
  } finally {
    await greeter.shutdown();
  }
}

const ASKED = /is not on the list of --network\. A person can allow it: run `ahma_mcp grants allow (q_\w+)`/;

/** The question that a denied command leads to. */
function questionIn(text: string): string {
  return ASKED.exec(text)?.[1] ?? assert.fail(text);
}

/** Waits until the server can be asked in a terminal. */
async function listening({ bench }: Stage): Promise<void> {
  const control = `${bench.home}/.local/state/ahma/control`;
  const isThere = () => exists(control) && [...Deno.readDirSync(control)].some(({ name }) => /^\d.*token$/.test(name));
  await until(isThere, 20_000, "the socket of the server");
}

/** A server with a client that shows forms, and gives these answers, one after the other. */
async function withForms(
  stage: Stage,
  answers: readonly string[],
  act: (shell: Shell) => Promise<void>,
  options: StartOptions = {},
): Promise<void> {
  await using server = await stage.start({ ...options, era: "none", flags: ["--sync", ...options.flags ?? []] });
  const rest = [...answers];
  const client = await connectClient(server, "2025-11-25", {
    capabilities: { elicitation: {} },
    onElicit: () => ({ action: "accept", content: { answer: rest.shift() ?? assert.fail("it is asked again") } }),
  });
  await act(async (command) => {
    const { content } = await client.callTool({ name: "sandboxed_shell", arguments: { command } });
    return { text: content.map((part) => part.type === "text" ? part.text : "").join("\n") };
  });
  await client.close();
  assert.deepStrictEqual(rest, []);
}

const ALWAYS = "always for this project";

/** Has a host allowed always. */
async function allowAlways(stage: Stage, host: string, options?: StartOptions): Promise<void> {
  await withForms(stage, [ALWAYS], async (shell) => {
    assert.match(await stage.reach({ shell }, host), GREETED);
  }, options);
}

const GREETED = /^(?:\[a person is asked: connect to \S+\?\]\n)?greetings\b/;

// As the ordinary user; the other tests run as root where the tests do.
Deno.test("S36 what is allowed always holds in later sessions of that project, is listed, and is taken back at once", async () => {
  await withStage(async (stage) => {
    const { bench, port, file, start, grants, reach } = stage;
    const audit = `${bench.elsewhere}/audit.jsonl`;
    const options = { flags: ["--audit-log", audit] };
    await allowAlways(stage, "one", options);
    const seen = await Deno.lstat(file);
    assert.deepStrictEqual([(seen.mode ?? 0) & 0o777, seen.uid], [0o600, (await Deno.lstat(bench.home)).uid]);
    const today = new Date().toISOString().slice(0, 10);
    const { stdout } = await grants("list");
    const id = /^g_[0-9a-f]{8}\b/.exec(stdout)?.[0] ?? assert.fail(stdout);
    const line = `${id}  since ${today}  used today  connect to one.example.test:${port}, in "${bench.scope}"\n`;
    assert.equal(stdout, line);
    {
      bench.write(`${bench.parent}/other/file`, "");
      await using stranger = await start({ flags: ["--sandbox-scope", `${bench.parent}/other`] });
      questionIn(await reach(stranger, "one"));
    }
    {
      await using server = await start(options);
      assert.match(await reach(server, "one"), GREETED);
      const status = await server.call("status");
      assert.ok(status.text.includes(`\n  connect to one.example.test:${port} (always, ${id})\n`), status.text);
      const revoked = await grants("revoke", id);
      assert.deepStrictEqual(
        [revoked.code, revoked.stdout],
        [0, `Taken back: ${id} connect to one.example.test:${port}\n`],
      );
      questionIn(await reach(server, "one"));
    }
    const again = await grants("revoke", id);
    assert.deepStrictEqual([again.code, again.stdout], [1, ""]);
    assert.match(again.stderr, new RegExp(`^Cannot take back "${id}": there is no such grant\\.`));
    const lines = (await Deno.readTextFile(audit)).trim().split("\n").map((line) => JSON.parse(line));
    const told = lines.filter(({ event }) => ["question", "answer", "grant_used", "grant_revoked"].includes(event));
    // The next command may ask before the server has written what another program took back.
    const events = [
      ...told.slice(0, -2),
      ...told.slice(-2).toSorted((one, other) => one.event < other.event ? -1 : 1),
    ];
    assert.deepStrictEqual(
      events.map((
        { event, answer, from, access, name, port, grant },
      ) => [event, answer ?? grant, from, access, name, port]),
      [
        ["question", undefined, port],
        ["answer", "project", port],
        ["grant_used", undefined, port],
        ["grant_used", undefined, port],
        ["grant_revoked", id, port],
        // The name alone is asked for, without a form.
        ["question", undefined, 443],
      ].map((
        [event, word, at],
      ) => [event, word, event === "answer" ? "client" : undefined, "network", "one.example.test", at]),
    );
  }, "ordinary");
});

async function anotherDirectory({ bench, start, reach, grants }: Stage): Promise<void> {
  const replaced = `${bench.parent}/replaced`;
  await Deno.rename(bench.scope, replaced);
  bench.write("file", "");
  {
    await using server = await start();
    questionIn(await reach(server, "one"));
  }
  // The directory of a project means its grants, also when another one is there by now.
  const log = `${bench.elsewhere}/audit.jsonl`;
  bench.write(`${bench.home}/.config/ahma/settings.json`, JSON.stringify({ audit_log: log }));
  const { code, stdout, stderr } = await grants("revoke", ".");
  assert.deepStrictEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^Taken back: g_\w+ connect to one\.example\.test:\d+\n$/);
  // No server runs that would write it down.
  const { event, name, grant } = JSON.parse(await Deno.readTextFile(log));
  assert.deepStrictEqual([event, name, stdout.includes(grant)], ["grant_revoked", "one.example.test", true]);
}

/** Ways to spoil the file, and what is said of it; src/consent/kept/kept_grants_test.ts has more. */
function damages(file: string): readonly (readonly [name: string, damage: () => void, problem: RegExp])[] {
  const good = Deno.readTextFileSync(file);
  const foreign = () => Deno.chownSync(file, ORDINARY_ID + 1, ORDINARY_ID);
  return [
    ["damaged", () => Deno.writeTextFileSync(file, good.slice(0, -9)), /it is not JSON\. It grants nothing/],
    ["a link", () => {
      Deno.renameSync(file, `${file}.real`);
      Deno.symlinkSync(`${file}.real`, file);
    }, /must be a file of yours/],
    ...Deno.uid() === 0 ? [["another user's", foreign, /must be a file of yours/] as const] : [],
  ];
}

async function damagedFile({ file, bench, start, reach, grants }: Stage): Promise<void> {
  const good = await Deno.readTextFile(file);
  const own = await Deno.lstat(file);
  await using server = await start({ flags: ["--log-to-stderr"] });
  for (const [name, damage, problem] of damages(file)) {
    damage();
    const before = server.stderr.length;
    questionIn(await reach(server, "one"));
    assert.match(server.stderr.slice(before), problem, name);
    if (name === "damaged") {
      const listed = await grants();
      assert.equal(listed.code, 1);
      assert.match(listed.stderr, problem);
    }
    await Deno.remove(file);
    bench.write(file, good);
    await Deno.chmod(file, own.mode ?? 0);
    assert.match(await reach(server, "one"), GREETED, name);
  }
}

Deno.test("S36 a file of grants that is damaged, a link or another user's, and another directory at the project's path, grant nothing", () =>
  withStage(async (stage) => {
    await allowAlways(stage, "one");
    await damagedFile(stage);
    await anotherDirectory(stage);
  }));

Deno.test("S35 L12 an answer in a terminal counts where the client's form is open, and the form is taken back", () =>
  withStage(async (stage) => {
    const { start, grants, port } = stage;
    await using server = await start({ era: "none", flags: ["--sync"] });
    const asked = Promise.withResolvers<string>();
    const never = Promise.withResolvers<ElicitResult>();
    const client = await connectClient(server, "2025-11-25", {
      capabilities: { elicitation: {} },
      onElicit: (params) => {
        asked.resolve(String(params["message"]));
        return never.promise;
      },
    });
    const command = `curl -sS -m 50 http://one.example.test:${port}/`;
    const called = client.callTool({ name: "sandboxed_shell", arguments: { command } });
    const message = await asked.promise;
    await listening(stage);
    const listed = await grants("list", "--json");
    const { questions: [question, ...more] } = JSON.parse(listed.stdout);
    assert.deepStrictEqual([question.text, question.answers, more.length], [message, [
      "once",
      "session",
      "project",
      "no",
    ], 0]);
    const { code, stdout } = await grants("allow", question.id);
    assert.deepStrictEqual([code, stdout], [0, `Allowed (this time): ${message}\n`]);
    const { content: [text] } = await called;
    assert.match(text?.type === "text" ? text.text : "", GREETED);
    const over = await grants("deny", question.id);
    assert.equal(over.code, 1);
    assert.match(over.stderr, new RegExp(`^Cannot deny "${question.id}": it does not wait\\. No question waits`));
    never.resolve({ action: "cancel" });
    await client.close();
  }));

Deno.test("S35 L12 a question without a form waits in a terminal: answered for the session, or denied", () =>
  withStage(async (stage) => {
    const { start, reach, grants } = stage;
    // src/cli/commands/grants/grants_test.ts has the words that are refused without a look.
    const nothing = await grants("allow");
    assert.deepStrictEqual([nothing.code, nothing.stdout], [2, ""]);
    assert.match(nothing.stderr, /^Cannot allow: name a question\. No question waits/);
    await using server = await start();
    const one = questionIn(await reach(server, "one"));
    const two = questionIn(await reach(server, "two"));
    await listening(stage);
    const { stdout } = await grants();
    assert.match(
      stdout,
      new RegExp(`^Nothing is allowed\nQuestions that wait for you:\n${one}  \`curl .* for \\d+ s\n`),
    );
    assert.ok(stdout.includes(`    ahma_mcp grants allow ${two} session|project, or deny ${two}\n`), stdout);
    const refused = await grants("allow", one, "once");
    assert.deepStrictEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(refused.stderr, /^Cannot allow "q_\w+": Its command has ended/);
    assert.equal((await grants("allow", one)).code, 0);
    assert.equal((await grants("deny", two)).code, 0);
    // The name was asked for on the port of https, and now on its own.
    assert.equal((await grants("allow", questionIn(await reach(server, "one")))).code, 0);
    assert.match(await reach(server, "one"), GREETED);
    assert.match(await reach(server, "two"), /was refused by the person who was asked/);
    const status = await server.call("status");
    assert.match(
      status.text,
      /allowed:\n {2}connect to one\.example\.test:443 \(this session\)\n {2}connect to one\.example\.test:\d+ \(this/,
    );
  }));
