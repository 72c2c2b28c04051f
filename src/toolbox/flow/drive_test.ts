import assert from "node:assert/strict";
import { failure, success } from "../../base/outcome.ts";
import { answered, drive, type FlowHost } from "./drive.ts";
import { loadEvaluator } from "./expression.ts";
import type { Flow } from "./flow.ts";
import { newRun, type Run } from "./machine.ts";
import { readFlow } from "./read_flow.ts";

async function flowOf(name: string, diagram: string, actions: string): Promise<Flow> {
  const text = `\`\`\`mermaid\nstateDiagram-v2\n${diagram}\n\`\`\`\n## Actions\n${actions}\n`;
  const { flow, diagnostics } = await readFlow({ name, file: `${name}.md`, text });
  return flow ?? assert.fail(JSON.stringify(diagnostics));
}

/** A host whose shell answers as its line says: `exit N`, else success with the line as output. */
async function hostOf(flows: readonly Flow[]): Promise<FlowHost & { readonly saved: Run[] }> {
  const saved: Run[] = [];
  return {
    saved,
    signal: new AbortController().signal,
    evaluate: await loadEvaluator(),
    flow: (name) => {
      const flow = flows.find((one) => one.name === name);
      return Promise.resolve(flow === undefined ? failure(`no ${name}`) : success(flow));
    },
    start: (_, given) => success(given),
    prompt: (name, args) => Promise.resolve(success(`${name} ${JSON.stringify(args)}`)),
    shell({ line, environment }) {
      const code = Number(/^exit (\d+)/.exec(line)?.[1] ?? 0);
      const content = `${line} ${JSON.stringify(environment)}`;
      return Promise.resolve({ success: code === 0, content, facts: { exit_code: code } });
    },
    tool: (name) => Promise.resolve({ success: true, content: name }),
    wait: (seconds) => Promise.resolve(seconds >= 0),
    save(run) {
      saved.push(JSON.parse(JSON.stringify(run)));
      return Promise.resolve();
    },
  };
}

Deno.test("K7 an exit code decides, without a model: the failure arm is taken", async () => {
  const flow = await flowOf(
    "f",
    "[*] --> a\na --> b: success\na --> c: failure\nb --> [*]\nc --> [*]",
    '- a: shell "exit 1"\n- c: log "went wrong"',
  );
  const host = await hostOf([flow]);
  const run = await drive(newRun("R", flow, {}), host);
  assert.deepEqual([run.status, run.log, run.trace], ["completed", ["info: went wrong"], ["f.a", "f.c"]]);
});

Deno.test("K7 a prompt ends the call; its answer, which survives as JSON, decides how the run goes on", async () => {
  const flow = await flowOf(
    "f",
    '[*] --> a\na --> b: result.content.contains("YES")\na --> [*]: default\nb --> [*]',
    '- a: execute prompt "ask" with who="{{ name }}" expect="yes_no" result="answer"\n- b: log "{{ answer }}"',
  );
  const host = await hostOf([flow]);
  const waiting = await drive(newRun("R", flow, { name: "x" }), host);
  assert.deepEqual(waiting.waiting, { kind: "prompt", text: 'ask {"who":"x"}', expect: "yes_no" });
  const kept = host.saved.at(-1) ?? assert.fail();
  assert.deepEqual(kept, waiting);
  const yes = await drive(await answered(kept, { success: true, content: "YES, all", value: "YES" }, host), host);
  assert.deepEqual([yes.status, yes.log], ["completed", ["info: YES"]]);
  const no = await drive(await answered(kept, { success: true, content: "NO" }, host), host);
  assert.deepEqual([no.status, no.log], ["completed", []]);
});

Deno.test("K7 a flow that never ends is ended at its limit, with the trace", async () => {
  const flow = await flowOf("f", "[*] --> a\na --> a: x == 1\na --> [*]: x == 2", "");
  const run = await drive(newRun("R", flow, { x: 1 }), await hostOf([flow]));
  assert.equal(run.status, "failed");
  assert.match(run.message ?? "", /^The flow has changed its state 1000 times; the last: f.a, f.a/);
});

Deno.test("K7 branches of a fork run one after the other, and a flow that is called gives its result", async () => {
  const outer = await flowOf(
    "outer",
    "state split <<fork>>\nstate both <<join>>\n[*] --> split\nsplit --> a\nsplit --> b\na --> both\nb --> both\nboth --> sub\nsub --> end\nend --> [*]",
    '- a: log "a"\n- b: log "b"\n- sub: run workflow "inner" with x="1" result="got"\n- end: log "{{ got }}"',
  );
  const inner = await flowOf("inner", "[*] --> i\ni --> [*]", '- i: shell "work {{ x }}"');
  const run = await drive(newRun("R", outer, {}), await hostOf([outer, inner]));
  assert.equal(run.status, "completed");
  assert.deepEqual(run.log, ["info: a", "info: b", 'info: work "${AHMA_VALUE_1}" {"AHMA_VALUE_1":"1"}']);
});

Deno.test("K7 a condition with a variable that is not there makes the run wait for it", async () => {
  const flow = await flowOf("f", "[*] --> a\na --> [*]: ready == true", "");
  const host = await hostOf([flow]);
  const run = await drive(newRun("R", flow, { other: 1 }), host);
  assert.match(
    run.waiting?.text ?? "",
    /^State "a" cannot continue: condition "ready == true": Unknown variable: ready. Known variables: other/,
  );
});
