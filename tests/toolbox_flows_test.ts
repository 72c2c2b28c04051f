/**
 * Flows of the packed program (K7, C4); and prompts and flows as an ordinary user has them through the official SDK's
 * client on its own transport: the acceptance cases of native tools that no other test runs that way (K7, Q2 to Q4).
 */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { type Arguments, LEAVES_TIMERS, Side } from "./_support/clients/foreign_side.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { until, withDeadline } from "./_support/deadline.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, Workbench } from "./_support/workbench.ts";

/** Twelve states; the build fails until a file says that it is mended. */
const RELEASE = `---
description: Builds until it succeeds, then releases
parameters:
  - name: version
    required: true
---

\`\`\`mermaid
stateDiagram-v2
    [*] --> begin
    begin --> build
    build --> test: success
    build --> mend: failure
    mend --> build: result.content.contains("YES")
    mend --> giveup: default
    test --> count
    count --> notes
    notes --> check
    check --> publish: answer == "YES"
    check --> giveup: default
    publish --> verify
    verify --> done
    done --> [*]
    giveup --> stop
    stop --> [*]
\`\`\`

## Actions

- begin: set tag="v{{ version }}"
- build: shell "test -e mended || { echo missing semicolon; exit 2; }" with result="log"
- mend: ask "The build of {{ tag }} fails: {{ log }}. Is it mended?"
- test: tool "sandboxed_shell" with command="echo tests pass"
- count: shell "ls | wc -l"
- notes: execute prompt "notes" with version="{{ tag }}" result="notes"
- check: ask "Publish {{ tag }}?" with result="answer"
- publish: shell "printf %s {{ notes }} > notes.txt"
- verify: shell "cat notes.txt"
- done: log "released {{ tag }}"
- giveup: log warning "not released"
- stop: abort "given up"
`;

const NOTES = `---
parameters:
  - name: version
    required: true
---
{% render "_style" %} Write notes for {{ version }}.
`;

const FLAGS = ["--bundles", "flow"];

Deno.test("K7 C4 a flow of twelve states goes on by exit codes and answers, through a restart, and the example of docs/flows.md works as printed", async () => {
  using bench = new Workbench("ordinary");
  bench.write(".ahma/flows/release.md", RELEASE);
  bench.write(".ahma/prompts/notes.md", NOTES);
  bench.write(".ahma/prompts/_style.md", "Be brief.");
  const hostile = "; touch pwned; $(touch pwned) '\"`touch pwned`";
  let id: string;
  {
    await using server = await ServerProcess.start(bench, { era: "none", flags: FLAGS });
    const client = await connectClient(server, "2025-11-25");
    assert.equal(
      await flow(client, { flow_name: "list" }),
      "release (version*): Builds until it succeeds, then releases",
    );
    assert.match(await flow(client, { flow_name: "release" }), /required argument "version" is missing/);
    const begun = await flow(client, { flow_name: "release", parameters: { version: "1.0" } });
    assert.match(begun, /state mend:\n\nThe build of v1.0 fails: missing semicolon. Is it mended\?/);
    id = /"run_id":"(\w+)"/.exec(begun)?.[1] ?? assert.fail(begun);
  }
  bench.write("mended", "");
  await using server = await ServerProcess.start(bench, { era: "none", flags: FLAGS });
  const client = await connectClient(server, "2026-07-28");
  assert.equal(await flow(client, { flow_name: "status" }), `${id} release waiting, state mend`);
  assert.match(
    await flow(client, { run_id: id, result: "YES, it is" }),
    /state notes:\n\nBe brief. Write notes for v1.0./,
  );
  assert.match(await flow(client, { run_id: id, result: hostile }), /state check:\n\nPublish v1.0\?/);
  const last = await flow(client, { run_id: id, result: "YES", verbose: true });
  assert.match(last, /^info: released v1.0\nStates: release.begin -> release.build -> release.mend -> release.build/);
  assert.match(last, new RegExp(`Run ${id} of flow release completed in state done after \\d+ changes of state.$`));
  assert.equal(await Deno.readTextFile(`${bench.scope}/notes.txt`), hostile);
  const names = (await Array.fromAsync(Deno.readDir(bench.scope))).map(({ name }) => name);
  assert.deepEqual(names.toSorted(), [".ahma", "mended", "notes.txt"]);
  assert.match(await flow(client, { run_id: id, result: "again" }), /has ended \(completed\)/);
  await runsThePage(bench, client);
});

/** The example of docs/flows.md works as printed, and its run is a resource. */
async function runsThePage(bench: Workbench, client: Client): Promise<void> {
  const page = await Deno.readTextFile(new URL("../docs/flows.md", import.meta.url));
  const file = /^````markdown\n(.*?)^````$/ms.exec(page)?.[1] ?? assert.fail();
  const [first, second] = [...page.matchAll(/^```text\n(.*?)^```$/gms)].map(([, block = ""]) => block.trimEnd());
  bench.write(".ahma/flows/ready.md", file);
  bench.write("notes.txt", "\n");
  const begun = await flow(client, { flow_name: "ready", parameters: { file: "notes.txt" } });
  const id = /"run_id":"(\w+)"/.exec(begun)?.[1] ?? assert.fail(begun);
  assert.equal(begun.replaceAll(id, "ID"), first);
  const uri = `ahma://flows/${id}`;
  const { resources } = await client.listResources();
  assert.deepEqual(resources.filter((one) => one.uri === uri), [
    { uri, name: `run ${id}`, title: "ready, waiting", mimeType: "application/json" },
  ]);
  const { contents: [content] } = await client.readResource({ uri });
  const { instruction, variables, ...facts } = JSON.parse(
    content !== undefined && "text" in content ? content.text : "",
  );
  assert.deepEqual([facts.run_id, facts.state, facts.status], [id, "mend", "waiting"]);
  assert.ok(begun.includes(`\n\n${instruction}\n\n`), begun);
  assert.equal(variables.file, "notes.txt");
  await assert.rejects(client.readResource({ uri: "ahma://flows/..%2F..%2Fx" }), /not the id of a run/);
  bench.write("notes.txt", "ready\n");
  assert.equal((await flow(client, { run_id: id, result: "YES" })).replaceAll(id, "ID"), second);
}

const SLOW = `\`\`\`mermaid
stateDiagram-v2
    [*] --> work
    work --> [*]
\`\`\`
## Actions
- work: shell "test -e ready || sleep 600"
`;

Deno.test("K7 X12 a cancelled flow ends its command and can go on; faults of files are told with their place; flows do not wait for their own tools", async () => {
  using bench = new Workbench();
  bench.write(".ahma/flows/slow.md", SLOW);
  bench.write(".ahma/flows/bad.md", SLOW.replace("work --> [*]", "work --> gone"));
  bench.write(".ahma/flows/one.md", `${SLOW}`.replace('shell "test -e ready || sleep 600"', 'run workflow "two"'));
  bench.write(".ahma/flows/two.md", `${SLOW}`.replace('shell "test -e ready || sleep 600"', 'run workflow "one"'));
  await using server = await ServerProcess.start(bench, {
    era: "none",
    flags: [...FLAGS, "--inline-wait", "0.2", "--max-concurrency", "1"],
  });
  const client = await connectClient(server, "2025-11-25");
  const listed = await flow(client, { flow_name: "list" });
  assert.match(listed, /^slow\n/);
  assert.match(listed, /^\.ahma\/flows\/bad\.md:3:1: error: From state "work" no path leads to the end/m);
  assert.match(listed, /^\.ahma\/flows\/one\.md:3:1: error: Flows call each other in a cycle: one -> two -> one/m);
  assert.match(await flow(client, { flow_name: "slow", dry_run: true }), /nothing was run.\nwork: runs: test -e ready/);
  const started = await text(client, "flow", { flow_name: "slow" });
  const [id = ""] = (await flow(client, { flow_name: "status" })).split(" ");
  const taken = `Run ${id} is being worked on, by this server or another one: await or cancel that call first`;
  assert.equal(await flow(client, { run_id: id, abort: "x" }), taken);
  const other = await runProgram(bench, ["call", "flow", "--run-id", id, "--abort", "x", "--quiet"]);
  assert.deepEqual([other.stderr.trimEnd(), other.code], [taken, 2]);
  const queued = await text(client, "flow", { flow_name: "slow" });
  for (const operation of [queued, started]) {
    await client.callTool({ name: "cancel", arguments: { operation_id: /^op_\w+/.exec(operation)?.[0] } });
  }
  const runs = (await flow(client, { flow_name: "status" })).split("\n").map((line) => line.split(" ")[0] ?? "");
  assert.equal(runs.length, 2);
  assert.match(await flow(client, { run_id: id, flow_name: "status" }), /was interrupted in state work/);
  bench.write("ready", "");
  for (const run of runs) assert.match(await flow(client, { run_id: run }), /completed in state work/);
  await callsTools(bench, client);
});

/** The answer to a call of `flow`, which may come by `await`. */
async function flow(client: Client, args: Record<string, unknown>): Promise<string> {
  const answer = await text(client, "flow", args);
  const [, operation] = /^(op_\w+) (?:started|still runs|queued)/.exec(answer) ?? [];
  return operation === undefined ? answer : await text(client, "await", { operation_id: operation });
}

async function text(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  const [part] = content as { readonly type: string; readonly text: string }[];
  return part?.text ?? "";
}

/** As many workflows as may run at once do not wait for their own tools. */
async function callsTools(bench: Workbench, client: Client): Promise<void> {
  const diagram = "```mermaid\nstateDiagram-v2\n    [*] --> a\n    a --> b\n    b --> [*]\n```";
  const actions = '- a: tool "sandboxed_shell" with command="echo said" result="x"\n- b: log "{{ x }}"';
  bench.write(".ahma/flows/said.md", `---\ndescription: says\n---\n\n${diagram}\n\n## Actions\n\n${actions}\n`);
  const calls = Array.from({ length: 6 }, () => flow(client, { flow_name: "said" }));
  for (const text of await Promise.all(calls)) assert.match(text, /^info: said\n[^]* completed in state b/);
}

const REVIEW = `---
description: Reviews a file.
parameters:
  - {name: file, required: true}
  - {name: depth, type: choice, choices: [short, thorough, total], default: short}
---
{% render "_guards" %}
Review {{ file }} ({{ depth }}).
`;

/** In the format of SwissArmyHammer: every form of an action and of an arm. */
const ALL = `---
title: All
description: Every form
parameters:
  - name: target
    required: true
---
\`\`\`mermaid
stateDiagram-v2
    [*] --> ask
    ask --> build: result.content.contains("YES")
    ask --> stop: default
    build --> part: success
    build --> stop: On Failure
    state part <<fork>>
    state both <<join>>
    part --> one
    part --> two
    one --> both
    two --> both
    both --> sub
    sub --> wait: always
    wait --> note
    note --> user
    user --> keep
    keep --> [*]
    stop --> [*]
\`\`\`

## Actions

- ask: Execute Prompt "plan" with target="{{ target }}" result="answer"
- build: shell "touch built" with timeout=60 result="log"
- one: set done="\${answer}"
- two: set_variable other="x"
- sub: run workflow "small" with a="b"
- wait: Wait 2 minutes
- note: log warning "half done"
- user: wait for user input
- keep: Think about it.
- stop: abort with message "stopped"
`;

function flowOf(diagram: string, actions: string): string {
  return `\`\`\`mermaid\nstateDiagram-v2\n${diagram}\n\`\`\`\n## Actions\n${actions}\n`;
}

/** A server of the user, and a foreign client of it. */
interface Scene {
  readonly test: Deno.TestContext;
  readonly bench: Workbench;
  readonly side: Side;
}

Deno.test("K7 Q2 Q3 Q4 C5 an ordinary user works through a foreign client", LEAVES_TIMERS, async (test) => {
  using bench = new Workbench("ordinary");
  writePrompts(bench);
  writeFlows(bench);
  await using side = await Side.open(bench, ["--bundles", "flow"], { AWS_SECRET_ACCESS_KEY: "leaked" });
  const scene = { test, bench, side };
  await usesPrompts(scene);
  await runsFlows(scene);
});

function writePrompts(bench: Workbench): void {
  const write = (name: string, text: string) => bench.write(`.ahma/prompts/${name}.md`, text);
  write("review", REVIEW);
  write("_guards", "Guards.");
  write("bare", "a{{ AWS_SECRET_ACCESS_KEY }}{{ env.HOME }}{% if true %}b{% endif %}");
  write("outside", '{% include "../../../../etc/passwd" %}');
  write("loop", "{% for i in (1..100000000) %}{% endfor %}");
}

async function usesPrompts({ test, bench, side }: Scene): Promise<void> {
  await test.step("case 20: partials, missing arguments, none at all", async () => {
    const { prompts } = await side.client.listPrompts();
    assert.deepEqual(prompts.map(({ name }) => name), ["bare", "loop", "outside", "plan", "review"]);
    assert.equal(await side.prompt("review", { file: "a.ts" }), "Guards.\nReview a.ts (short).");
    await assert.rejects(side.prompt("_guards"), { code: -32602, message: /is a partial/ });
    await assert.rejects(side.prompt("review", {}), { code: -32602, message: /required argument "file" is missing/ });
    assert.equal(await side.prompt("bare"), "ab");
  });

  await test.step("case 21: no environment, no file, no endless loop", async () => {
    await assert.rejects(side.prompt("outside"), { code: -32602, message: /No prompt or partial is named/ });
    await assert.rejects(side.prompt("loop"), { code: -32602, message: /works on more than 10000000 characters/ });
    assert.equal(await side.prompt("bare"), "ab");
  });

  await test.step("case 22: a saved prompt is announced once, a broken one keeps its last version, choices are completed", async () => {
    const completed = await side.client.complete({
      ref: { type: "ref/prompt", name: "review" },
      argument: { name: "depth", value: "t" },
    });
    assert.deepEqual(completed.completion.values, ["thorough", "total"]);
    let told = 0;
    let resolve = () => {};
    side.client.setNotificationHandler("notifications/prompts/list_changed", () => {
      told++;
      resolve();
    });
    const save = (name: string, text: string) => {
      const change = Promise.withResolvers<void>();
      resolve = change.resolve;
      Deno.renameSync(bench.write("draft", text), `${bench.scope}/.ahma/prompts/${name}.md`);
      return change.promise;
    };
    await withDeadline(save("bare", "new"), 20_000, "the change of a prompt");
    assert.equal(await side.prompt("bare"), "new");
    void save("bare", "\n{% if x %}broken");
    await withDeadline(save("later", "later"), 20_000, "the change of another");
    assert.equal(await side.prompt("bare"), "new");
    assert.match((await side.say("status")).join("\n"), /bare\.md:2:1: error: Tag \{% if x %\} not closed/);
    assert.equal(told, 2);
  });
}

function writeFlows(bench: Workbench): void {
  bench.write(".ahma/prompts/plan.md", "---\narguments: [{name: target}]\n---\nPlan {{ target }}.\n");
  const flows = {
    all: ALL,
    small: flowOf("[*] --> a\na --> [*]", '- a: log "small"'),
    one: flowOf("[*] --> a\na --> [*]", '- a: run workflow "two"'),
    two: flowOf("[*] --> a\na --> [*]", '- a: run workflow "one"'),
    slow: flowOf("[*] --> a\na --> [*]", '- a: shell "touch begun; test -e ready || sleep 612"'),
  };
  for (const [name, text] of Object.entries(flows)) bench.write(`.swissarmyhammer/workflows/${name}.md`, text);
}

async function runsFlows({ test, bench, side }: Scene): Promise<void> {
  const flow = (args: Arguments) => side.call("flow", args);

  await test.step("case 23: files in another format are listed with their parameters, a plan runs nothing", async () => {
    const { lines } = await flow({ flow_name: "list" });
    assert.deepEqual(lines.slice(0, 3), ["all (target*): Every form", "slow", "small"]);
    assert.equal(lines.filter((line) => line.includes("all.md")).length, 0, lines.join("\n"));
    const plan = await flow({ flow_name: "all", parameters: { target: "x" }, dry_run: true });
    assert.match(plan.lines.join("\n"), /nothing was run\.\n/);
    assert.ok(!exists(`${bench.scope}/built`));
  });

  await test.step("case 23: a question of a flow ends the call, and an end that the caller wants is not an error", async () => {
    const { lines } = await flow({ flow_name: "all", parameters: { target: "x" } });
    const id = /"run_id":"(\w+)"/.exec(lines.join("\n"))?.[1];
    assert.ok(lines.includes("Plan x."), lines.join("\n"));
    const aborted = await flow({ run_id: id, abort: "enough" });
    assert.match(aborted.lines.join("\n"), /was aborted in state ask after 0 changes of state: enough\.$/);
    assert.ok(!aborted.isError);
  });

  await test.step("case 25: flows in a circle are refused, a cancelled one can go on", async () => {
    assert.match((await flow({ flow_name: "one" })).lines.join("\n"), /Flows call each other in a cycle/);
    const abort = new AbortController();
    const call = { name: "flow", arguments: { flow_name: "slow" } };
    const cancelled = assert.rejects(side.client.callTool(call, { signal: abort.signal }), /enough/);
    await bench.appears("begun");
    abort.abort(new Error("enough"));
    await cancelled;
    await bench.processesGone("sleep 612");
    const id = await until(
      async () => {
        const { lines } = await flow({ flow_name: "status" });
        return /^(\w+) slow interrupted/m.exec(lines.join("\n"))?.[1];
      },
      20_000,
      "the end of the flow",
    );
    bench.write("ready", "");
    assert.match((await flow({ run_id: id })).lines.join("\n"), /completed in state a/);
  });
}
