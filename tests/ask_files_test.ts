/** A person is asked for paths that a command was denied, and commands that follow have them (S35, S36). */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { type Answer, choosing } from "./_support/clients/asking.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { until } from "./_support/deadline.ts";
import { type Era, ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, Workbench } from "./_support/workbench.ts";

/** Each has a file `f`, outside of the scope. */
const DIRECTORIES = ["data", "idempotent", "not", "once", "refused", "closed", "audited", "always"];

interface Session {
  readonly bench: Workbench;
  readonly server: ServerProcess;
  readonly client: Client;
  /** The messages of the forms, in order. */
  readonly forms: readonly string[];
  /** Runs a line, and gives the result's text. */
  sh(line: string): Promise<string>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
}

interface Choice {
  readonly era?: Era;
  readonly kinds?: string;
  readonly flags?: readonly string[];
  readonly takesForms?: false;
  /** Absent: a new one. */
  readonly bench?: Workbench;
}

async function inSession(
  answer: Answer,
  work: (session: Session) => Promise<void>,
  choice: Choice = {},
): Promise<void> {
  const { era = "2025-11-25", kinds = "read,write,protected", flags = [] } = choice;
  using own = choice.bench === undefined ? new Workbench() : undefined;
  const bench = choice.bench ?? own;
  assert.ok(bench !== undefined);
  for (const name of DIRECTORIES) bench.write(`${bench.elsewhere}/${name}/f`, `of ${name}\n`);
  bench.write(`${bench.elsewhere}/work/notes`, "notes\n");
  await using server = await ServerProcess.start(bench, { flags: ["--sync", "--ask", kinds, ...flags], era: "none" });
  const forms: string[] = [];
  const takesForms = choice.takesForms !== false;
  const client = await connectClient(server, era, {
    capabilities: takesForms ? { elicitation: {} } : {},
    ...takesForms && {
      onElicit: (params) => {
        forms.push(String(params["message"]));
        return answer(String(params["message"]));
      },
    },
  });
  const call: Session["call"] = async (name, args) => {
    const { content } = await client.callTool({ name, arguments: args });
    const text = content.map((part) => part.type === "text" ? part.text : part.type).join("\n");
    return text.replace(/\n?\[exit code [^\]]*\]/, "").trim();
  };
  await work({ bench, server, client, forms, call, sh: (line) => call("sandboxed_shell", { command: line }) });
  await client.close();
}

Deno.test("S35 what was allowed for this session: paths, a copy, a push, leaves of tool files, and their lines of the audit log, 2025-11-25", async (test) => {
  using bench = new Workbench();
  const { elsewhere } = bench;
  bench.write(`${elsewhere}/logs/x`, "");
  const log = `${elsewhere}/logs/audit.jsonl`;
  bench.write(".ahma/tools/show.json", JSON.stringify(SHOW));
  await prepareCopies(bench);
  const readable = ["origin.git", "written"].flatMap((name) => ["--read", `${elsewhere}/${name}`]);
  await inSession(choosing("this session"), async (session) => {
    await test.step("a path is open to the commands that follow", () => provesSession(session));
    await test.step("S15 one question is enough for a copy, for a push and for a write whose path the output does not name", () =>
      provesCopies(session));
    await test.step("an idempotent leaf is run again once it may read, and any other leaf is not", () =>
      provesLeaves(session));
    await session.sh(`cat ${elsewhere}/audited/f`);
    const before = session.forms.length;
    await session.sh(`echo x > ${elsewhere}/logs/y`);
    assert.equal(session.forms.length, before, "the directory of the log is not asked for");
  }, { bench, flags: [...readable, "--audit-log", log] });
  // Every question, answer and use of a path is a line.
  const path = `${elsewhere}/audited/f`;
  const events = (await Deno.readTextFile(log)).trimEnd().split("\n").map((line) => JSON.parse(line))
    .filter((one) => one.path === path);
  assert.deepEqual(events.map((one) => [one.event, one.access]), [
    ["question", "read"],
    ["answer", "read"],
    ["grant_used", "read"],
  ]);
});

// For root, grants_test.ts has hosts that are allowed always.
Deno.test('S35 S36 what each answer opens, as ordinary, 2026-07-28; "always for this project" holds in the next session, and a client without forms names the question for a terminal', async (test) => {
  using bench = new Workbench("ordinary");
  const line = `cat ${bench.elsewhere}/always/f`;
  const answer: Answer = (message) => {
    if (message.includes("/closed")) return { action: "cancel" };
    const word = message.includes("/once/")
      ? "this time"
      : message.includes("/refused/")
      ? "no"
      : message.includes("/always/")
      ? "always for this project"
      : "this session";
    return choosing(word)(message);
  };
  await inSession(answer, async (session) => {
    await test.step('"this session" opens a path to the commands that follow', () => provesSession(session));
    await test.step('"this time" opens a path to one more run of that command, and to no other', () =>
      provesOnce(session));
    await test.step('"no" leaves a path closed, unasked, and a form that is closed is a no', () => provesNo(session));
    assert.match(await session.sh(line), /is allowed now, always for this project: call again\.$/);
    assert.equal(await session.sh(line), "of always");
  }, { bench, era: "2026-07-28" });
  await test.step("the next session", () => provesNext(bench, line));
});

async function provesSession({ bench, forms, sh }: Session): Promise<void> {
  const { elsewhere } = bench;
  await sh("echo mine > /tmp/mine");
  const denied = await sh(`cat ${elsewhere}/data/f`);
  assert.ok(
    denied.endsWith(
      `Sandbox: "${elsewhere}/data/f" lies outside the scope; commands can neither read nor change it. ` +
        `Reading "${elsewhere}/data/f" is allowed now, for this session: call again.`,
    ),
    denied,
  );
  assert.equal(forms.length, 1);
  assert.match(
    forms[0] ?? "",
    new RegExp(`^\`cat .*\` wants to read "${elsewhere}/data/f" \\(tool sandboxed_shell,`),
  );
  assert.equal(await sh(`cat ${elsewhere}/data/f /tmp/mine`), "of data\nmine");
  assert.match(
    await sh(`echo x > ${elsewhere}/work/new`),
    new RegExp(`Changing "${elsewhere}/work" is allowed now`),
  );
  assert.equal(
    await sh(`echo x > ${elsewhere}/work/new; cat ${elsewhere}/work/new ${elsewhere}/data/f`),
    "x\nof data",
  );
  bench.write(".vscode/tasks.json", "{}\n");
  assert.match(await sh("echo x > .vscode/tasks.json"), /Changing ".*\/scope\/\.vscode" is allowed now/);
  assert.equal(await sh("echo x > .vscode/tasks.json; cat .vscode/tasks.json"), "x");
  assert.equal(forms.length, 3);
}

/** A repository to push to, and directories to write in. */
async function prepareCopies(bench: Workbench): Promise<void> {
  const { elsewhere, scope } = bench;
  const setUp = 'mkdir "$0/copied" "$0/written" && git init -q --bare "$0/origin.git" && ' +
    'git init -q . && git remote add origin "$0/origin.git"';
  const { success } = await new Deno.Command("sh", { args: ["-c", setUp, elsewhere], cwd: scope }).output();
  assert.ok(success);
  bench.write("a", "text\n");
}

async function provesCopies({ bench: { elsewhere }, forms, sh }: Session): Promise<void> {
  const before = forms.length;
  const commit = "git -c user.name=a -c user.email=a@example.test commit -q --allow-empty -m a";
  const lines = [
    `cp a ${elsewhere}/copied/`,
    "git push -q origin HEAD:main",
    `cd ${elsewhere}/written && echo x > new`,
  ];
  await sh(commit);
  for (const line of lines) {
    assert.match(await sh(line), /Changing ".*" is allowed now, for this session: call again\.$/);
  }
  for (const line of lines) assert.match(await sh(line), /^(?:\[no output\])?$/);
  assert.deepStrictEqual(
    forms.slice(before).map((form) => /wants to (change "[^"]*")/.exec(form)?.[1]),
    ["copied", "origin.git", "written"].map((name) => `change "${elsewhere}/${name}"`),
  );
}

const LEAF = { description: "Shows a file.", positional_args: [{ name: "path", type: "string", required: true }] };
const SHOW = {
  name: "show",
  command: "cat",
  description: "Shows files.",
  subcommand: [{ ...LEAF, name: "again", argv: [], idempotent: true }, { ...LEAF, name: "once", argv: [] }],
};

async function provesLeaves({ bench: { elsewhere }, call, client, forms }: Session): Promise<void> {
  const before = forms.length;
  const text = await call("show_again", { path: `${elsewhere}/idempotent/f` });
  assert.match(text, /\[reading ".*\/idempotent\/f" is allowed now: run again\]\nof idempotent$/);
  assert.match(await call("show_once", { path: `${elsewhere}/not/f` }), /is allowed now, .*: call again\.$/);
  assert.equal(await call("show_once", { path: `${elsewhere}/not/f` }), "of not");
  assert.equal(forms.length, before + 2);
  const { tools } = await client.listTools();
  const hints = tools.filter(({ name }) => name.startsWith("show_")).map((
    { name, annotations },
  ) => [name, annotations]);
  assert.deepStrictEqual(hints, [["show_again", { idempotentHint: true }], ["show_once", undefined]]);
}

async function provesOnce({ bench: { elsewhere }, forms, sh }: Session): Promise<void> {
  const before = forms.length;
  const line = `cat ${elsewhere}/once/f`;
  assert.match(await sh(line), /is allowed now, for one more run of this command: call again\.$/);
  // Another command is denied, and asked for by itself.
  assert.match(await sh(`${line}; true`), /No such file[^]*is allowed now, for one more run of this command/);
  assert.equal(await sh(line), "of once");
  assert.equal(forms.length, before + 2);
  assert.match(await sh(line), /is allowed now, for one more run/);
  assert.equal(forms.length, before + 3);
}

async function provesNo({ bench: { elsewhere }, forms, sh }: Session): Promise<void> {
  const before = forms.length;
  for (let tries = 0; tries < 2; tries++) {
    assert.match(
      await sh(`cat ${elsewhere}/refused/f`),
      /commands can neither read nor change it\. It was refused by the person who was asked\.$/,
    );
  }
  assert.match(await sh(`echo x > ${elsewhere}/closed/new`), /It was asked for, and no person allowed it\.$/);
  assert.equal(forms.length, before + 2);
}

async function provesNext(bench: Workbench, line: string): Promise<void> {
  await inSession(choosing("no"), async ({ server, sh }) => {
    assert.equal(await sh(line), "of always");
    // Another file at that path was never allowed.
    await Deno.rename(`${bench.elsewhere}/always/f`, `${bench.elsewhere}/always/g`);
    bench.write(`${bench.elsewhere}/always/f`, "of another\n");
    const denied = await sh(line);
    const id = /run `ahma_mcp grants allow (q_\w+)`, or start the server with --read /.exec(denied)?.[1] ??
      assert.fail(denied);
    const control = `${bench.home}/.local/state/ahma/control`;
    const listens = () =>
      exists(control) && [...Deno.readDirSync(control)].some(({ name }) => /^\d.*token$/.test(name));
    await until(listens, 20_000, "the socket of the server");
    const allowed = await runProgram(bench, ["grants", "allow", id, "session"]);
    assert.equal(allowed.code, 0, allowed.stderr + server.stderr);
    assert.equal(await sh(line), "of another");
  }, { bench, takesForms: false });
}

Deno.test("S35 S39 a person is asked for no path of credentials, of home, of the scope's parents, and of other kinds; native tools and --undo work meanwhile", async () => {
  await inSession(choosing("this session"), async ({ bench, forms, sh, call }) => {
    bench.write(`${bench.home}/.ssh/key`, "a key\n");
    bench.write(`${bench.home}/plain`, "plain\n");
    for (const path of [`${bench.home}/.ssh/key`, bench.home, bench.parent, "/", "/etc/shadow", "/proc/1/environ"]) {
      await sh(`cat ${path}; ls ${path}; cat ${path}/x`);
    }
    await sh(`echo x > ${bench.elsewhere}/work/new`);
    assert.deepEqual(forms, []);
    await sh(`cat ${bench.home}/plain`);
    assert.equal(forms.length, 1);
    const kept = bench.write("kept.txt", "as it was\n");
    const [, id] = /`changes` (op_\w+)/.exec(await sh("echo other > kept.txt")) ?? [];
    assert.match(await call("files_read", { path: "kept.txt" }), /other/);
    assert.match(await call("changes", { operation_id: id, action: "undo" }), /^Put back 1 path/);
    assert.equal(await Deno.readTextFile(kept), "as it was\n");
  }, { kinds: "read", flags: ["--undo", "--bundles", "files"] });
});
