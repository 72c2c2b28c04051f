/**
 * Prompts and flows as an ordinary user has them through the official SDK's client on its own transport: the
 * acceptance cases of native tools that no other test runs that way (K7, Q2 to Q4).
 */
import assert from "node:assert/strict";
import { until, withDeadline } from "./_support/deadline.ts";
import { type Arguments, LEAVES_TIMERS, Side } from "./_support/clients/foreign_side.ts";
import { exists, Workbench } from "./_support/workbench.ts";

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
  write("loop", "{% for i in (1..90000) %}{% for j in (1..90) %}{% cycle 1, 2 %}{% endfor %}{% endfor %}");
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
    await assert.rejects(side.prompt("loop"), { code: -32602 });
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
    around: flowOf("[*] --> a\na --> a: 1 == 1\na --> [*]: default", '- a: set n="1"'),
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
    assert.deepEqual(lines.slice(0, 4), ["all (target*): Every form", "around", "slow", "small"]);
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

  await test.step("case 25: a loop ends, flows in a circle are refused, a cancelled one can go on", async () => {
    const around = await flow({ flow_name: "around" });
    assert.match(around.lines.join("\n"), /1,?000 changes of state/);
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
