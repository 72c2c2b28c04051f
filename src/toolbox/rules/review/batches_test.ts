import assert from "node:assert/strict";
import { templatesFor } from "../format/load_rules.ts";
import { readRule } from "../format/read_rule.ts";
import { nextBatch, type Waiting } from "./batches.ts";

async function questions(name: string, body: string): Promise<readonly Waiting[]> {
  const text = `---\nseverity: error\n---\n${body}`;
  const { rule } = await readRule({ name, origin: "project", file: `${name}.md`, text });
  assert.ok(rule);
  return ["a.ts", "b.ts"].map((path) => ({ id: `${name}:${path}`, rule, path, content: `text of ${path}` }));
}

Deno.test("K8 a batch shows each file once, and each instruction once that speaks of no file", async () => {
  const rules = await Promise.all([
    questions("plain", "Is it plain?"),
    questions("named", "Is {{ target_path }} good?"),
    questions("whole", "Read: {{ target_content }}"),
  ]);
  const waiting = [0, 1].flatMap((file) => rules.flatMap((one) => one[file] ?? []));
  const set = { rules: [], partials: [], diagnostics: [] };
  const { text, count, problems } = await nextBatch(waiting, (rule) => templatesFor(rule, set));
  const file = (path: string, plain: string) => [
    `=== ${path}`,
    `text of ${path}`,
    `--- review_id plain:${path} (error)`,
    plain,
    `--- review_id named:${path} (error)`,
    `Is ${path} good?`,
    `--- review_id whole:${path} (error)`,
    `Read: text of ${path}`,
  ];
  assert.deepEqual(text.split("\n"), [...file("a.ts", "Is it plain?"), ...file("b.ts", "As above for plain.")]);
  assert.deepEqual([count, problems], [6, []]);
});
