/** A person is asked for paths that a command was denied, and commands that follow have them (S35, S36). */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { type Answer, choosing } from "./_support/clients/asking.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { until } from "./_support/deadline.ts";
import { type Era, ERAS, ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, type User, usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

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
  readonly user?: User;
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
  const { user = usersAtHand()[0] ?? "root", era = "2025-11-25", kinds = "read,write,protected", flags = [] } = choice;
  using own = choice.bench === undefined ? new Workbench(user) : undefined;
  const bench = choice.bench ?? own;
  assert.ok(bench !== undefined);
  bench.write(`${bench.elsewhere}/data/f`, "of data\n");
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

for (const [era, user] of withUsersInTurn(ERAS)) {
  Deno.test(`S35 "this session" opens a path to the commands that follow, as ${user}, ${era}`, async () => {
    await inSession(choosing("this session"), async ({ bench, forms, sh }) => {
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
    }, { user, era });
  });
}

Deno.test("S15 S35 one question is enough for a copy, for a push and for a write whose path the output does not name", async () => {
  using bench = new Workbench();
  const { elsewhere, scope } = bench;
  const setUp = 'git init -q --bare "$0/origin.git" && git init -q . && git remote add origin "$0/origin.git"';
  const { success } = await new Deno.Command("sh", { args: ["-c", setUp, elsewhere], cwd: scope }).output();
  assert.ok(success);
  bench.write("a", "text\n");
  await inSession(choosing("this session"), async ({ forms, sh }) => {
    const commit = "git -c user.name=a -c user.email=a@example.test commit -q --allow-empty -m a";
    const lines = [`cp a ${elsewhere}/work/`, "git push -q origin HEAD:main", `cd ${elsewhere}/data && echo x > new`];
    await sh(commit);
    for (const line of lines) {
      assert.match(await sh(line), /Changing ".*" is allowed now, for this session: call again\.$/);
    }
    for (const line of lines) assert.match(await sh(line), /^(?:\[no output\])?$/);
    assert.deepStrictEqual(
      forms.map((form) => /wants to (change "[^"]*")/.exec(form)?.[1]),
      ["work", "origin.git", "data"].map((name) => `change "${elsewhere}/${name}"`),
    );
  }, { bench, flags: ["--read", `${elsewhere}/origin.git`, "--read", `${elsewhere}/data`] });
});

Deno.test("S35 an idempotent leaf is run again once it may read, and any other leaf is not", async () => {
  using bench = new Workbench();
  const leaf = { description: "Shows a file.", positional_args: [{ name: "path", type: "string", required: true }] };
  const subcommand = [
    { ...leaf, name: "again", argv: [], idempotent: true },
    { ...leaf, name: "once", argv: [] },
  ];
  bench.write(
    ".ahma/tools/show.json",
    JSON.stringify({ name: "show", command: "cat", description: "Shows files.", subcommand }),
  );
  await inSession(choosing("this session"), async ({ call, client, forms }) => {
    const { elsewhere } = bench;
    const text = await call("show_again", { path: `${elsewhere}/data/f` });
    assert.match(text, /\[reading ".*\/data\/f" is allowed now: run again\]\nof data$/);
    assert.match(await call("show_once", { path: `${elsewhere}/work/notes` }), /is allowed now, .*: call again\.$/);
    assert.equal(await call("show_once", { path: `${elsewhere}/work/notes` }), "notes");
    assert.equal(forms.length, 2);
    const { tools } = await client.listTools();
    const hints = tools.filter(({ name }) => name.startsWith("show_")).map((
      { name, annotations },
    ) => [name, annotations]);
    assert.deepStrictEqual(hints, [["show_again", { idempotentHint: true }], ["show_once", undefined]]);
  }, { bench });
});

Deno.test('S35 "this time" opens a path to one more run of that command, and to no other', async () => {
  await inSession(choosing("this time"), async ({ bench: { elsewhere }, forms, sh }) => {
    const line = `cat ${elsewhere}/data/f`;
    assert.match(await sh(line), /is allowed now, for one more run of this command: call again\.$/);
    assert.match(await sh(`${line}; true`), /No such file/);
    assert.equal(await sh(line), "of data");
    assert.equal(forms.length, 1);
    assert.match(await sh(line), /is allowed now, for one more run/);
    assert.equal(forms.length, 2);
  });
});

Deno.test('S35 "no" leaves a path closed, unasked, and a form that is closed is a no', async () => {
  const answer: Answer = (message) => message.includes("/data") ? choosing("no")(message) : { action: "cancel" };
  await inSession(answer, async ({ bench: { elsewhere }, forms, sh }) => {
    for (let tries = 0; tries < 2; tries++) {
      assert.match(
        await sh(`cat ${elsewhere}/data/f`),
        /commands can neither read nor change it\. It was refused by the person who was asked\.$/,
      );
    }
    assert.match(await sh(`echo x > ${elsewhere}/work/new`), /It was asked for, and no person allowed it\.$/);
    assert.equal(forms.length, 2);
  });
});

for (const user of usersAtHand()) {
  Deno.test(`S36 "always for this project" holds in the next session of that project alone, as ${user}`, async () => {
    using bench = new Workbench(user);
    const line = `cat ${bench.elsewhere}/data/f`;
    await inSession(choosing("always for this project"), async ({ forms, sh }) => {
      assert.match(await sh(line), /is allowed now, always for this project: call again\.$/);
      assert.equal(await sh(line), "of data");
      assert.equal(forms.length, 1);
    }, { bench });
    await inSession(choosing("no"), async ({ forms, sh }) => {
      assert.equal(await sh(line), "of data");
      assert.equal(forms.length, 0);
      // Another file at that path was never allowed.
      await Deno.rename(`${bench.elsewhere}/data/f`, `${bench.elsewhere}/data/g`);
      bench.write(`${bench.elsewhere}/data/f`, "of another\n");
      assert.match(await sh(line), /It was refused by the person who was asked\.$/);
      assert.equal(forms.length, 1);
    }, { bench });
  });
}

Deno.test("S35 a client without forms names the question, and what is allowed in a terminal holds", async () => {
  await inSession(choosing("no"), async ({ bench, server, sh }) => {
    const line = `cat ${bench.elsewhere}/data/f`;
    const denied = await sh(line);
    const id = /run `ahma_mcp grants allow (q_\w+)`, or start the server with --read /.exec(denied)?.[1] ??
      assert.fail(denied);
    const control = `${bench.home}/.local/state/ahma/control`;
    const listens = () =>
      exists(control) && [...Deno.readDirSync(control)].some(({ name }) => /^\d.*token$/.test(name));
    await until(listens, 20_000, "the socket of the server");
    const allowed = await runProgram(bench, ["grants", "allow", id, "session"]);
    assert.equal(allowed.code, 0, allowed.stderr + server.stderr);
    assert.equal(await sh(line), "of data");
  }, { takesForms: false });
});

Deno.test("S35 a person is asked for no path of credentials, of home, of the scope's parents, and of other kinds", async () => {
  await inSession(choosing("this session"), async ({ bench, forms, sh }) => {
    bench.write(`${bench.home}/.ssh/key`, "a key\n");
    bench.write(`${bench.home}/plain`, "plain\n");
    for (const path of [`${bench.home}/.ssh/key`, bench.home, bench.parent, "/", "/etc/shadow", "/proc/1/environ"]) {
      await sh(`cat ${path}; ls ${path}; cat ${path}/x`);
    }
    await sh(`echo x > ${bench.elsewhere}/work/new`);
    assert.deepEqual(forms, []);
    await sh(`cat ${bench.home}/plain`);
    assert.equal(forms.length, 1);
  }, { kinds: "read" });
});

Deno.test("S35 every question, answer and use of a path is a line of the audit log, and the log itself stays closed", async () => {
  using bench = new Workbench();
  bench.write(`${bench.elsewhere}/logs/x`, "");
  const log = `${bench.elsewhere}/logs/audit.jsonl`;
  await inSession(choosing("this session"), async ({ forms, sh }) => {
    await sh(`cat ${bench.elsewhere}/data/f`);
    await sh(`echo x > ${bench.elsewhere}/logs/y`);
    assert.equal(forms.length, 1);
  }, { bench, flags: ["--audit-log", log] });
  const events = (await Deno.readTextFile(log)).trimEnd().split("\n").map((line) => JSON.parse(line))
    .filter(({ access }) => access !== undefined);
  const path = `${bench.elsewhere}/data/f`;
  assert.deepEqual(events.map((one) => [one.event, one.access, one.path]), [
    ["question", "read", path],
    ["answer", "read", path],
    ["grant_used", "read", path],
  ]);
});

Deno.test("S35 S39 native tools and --undo work where a person is asked for what commands are denied", async () => {
  await inSession(choosing("no"), async ({ bench, call, sh }) => {
    const kept = bench.write("kept.txt", "as it was\n");
    const [, id] = /`changes` (op_\w+)/.exec(await sh("echo other > kept.txt")) ?? [];
    assert.match(await call("files_read", { path: "kept.txt" }), /other/);
    assert.match(await call("changes", { operation_id: id, action: "undo" }), /^Put back 1 path/);
    assert.equal(await Deno.readTextFile(kept), "as it was\n");
  }, { kinds: "read", flags: ["--undo", "--bundles", "files"] });
});
