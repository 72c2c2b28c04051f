import assert from "node:assert/strict";
import fc from "fast-check";
import { describeDiagnostic } from "../../base/diagnostic.ts";
import type { Prompt } from "./prompt.ts";
import { readPrompt } from "./read_prompt.ts";

function read(text: string, name = "plan") {
  return readPrompt({ name, origin: "project", file: `${name}.md`, text });
}

/** The diagnostics of a text, as a person sees them. */
async function faults(text: string, name?: string): Promise<readonly string[]> {
  return (await read(text, name)).diagnostics.map(describeDiagnostic);
}

Deno.test("Q1 Q5 a file is read with every field, in the words of both systems", async () => {
  const { prompt, diagnostics } = await read([
    "---",
    "title: Plan a change",
    "description: >",
    "  Makes a plan.",
    "category: work",
    "tags: [plan, 2]",
    "parameters:",
    "  - {name: goal, description: What to reach, required: true}",
    "  - {name: depth, type: choice, choices: [short, long], default: short}",
    "  - {name: areas, type: multi_choice, choices: [a, b]}",
    "  - {name: tests, type: boolean, default: true}",
    "  - {name: most, type: number}",
    "---",
    "# {{ goal }}",
  ].join("\n"));
  assert.deepStrictEqual(diagnostics, []);
  const expected: Prompt = {
    name: "plan",
    origin: "project",
    file: "plan.md",
    title: "Plan a change",
    description: "Makes a plan.",
    category: "work",
    tags: ["plan", "2"],
    parameters: [
      { name: "goal", description: "What to reach", required: true, type: "text", choices: [] },
      { name: "depth", required: false, type: "choice", choices: ["short", "long"], fallback: "short" },
      { name: "areas", required: false, type: "choices", choices: ["a", "b"] },
      { name: "tests", required: false, type: "boolean", choices: [], fallback: true },
      { name: "most", required: false, type: "number", choices: [] },
    ],
    isPartial: false,
    body: "# {{ goal }}",
    linesBefore: 13,
  };
  assert.deepStrictEqual(prompt, expected);
  const other = await read("---\r\narguments:\r\n- name: goal\r\n---\r\ntext\r\n");
  assert.deepStrictEqual(other.prompt?.parameters.map(({ name }) => name), ["goal"]);
  assert.deepStrictEqual([other.prompt?.body, other.prompt?.linesBefore], ["text", 4]);
});

Deno.test("Q2 Q5 a partial is one by its name, its front matter or the first tag of its body", async () => {
  const isPartial = async (text: string, name?: string) => (await read(text, name)).prompt?.isPartial;
  assert.deepStrictEqual(
    await Promise.all([
      isPartial("text"),
      isPartial("text", "_guards"),
      isPartial("---\npartial: true\n---\ntext"),
      isPartial("---\ntitle: A\n---\n\n{%- partial -%}\ntext"),
      isPartial("text {% partial %}"),
    ]),
    [false, true, true, true, false],
  );
});

Deno.test("Q2 each mistake is told with its line and column", async () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["---\ntitle: A\n", ['plan.md:1:1: error: The front matter is not closed: end it with a line of "---"']],
    ["---\ntitle: [a\n---\n", [
      "plan.md:2:10: error: The front matter is not valid YAML: Flow sequence in block collection must be sufficiently " +
      "indented and end with a ]: correct it",
    ]],
    ["---\n- a\n---\n", [
      'plan.md:2:1: error: The front matter is not a mapping: write lines as in "title: Plan a change"',
    ]],
    ["---\ntitle: {a: 1}\n---\n", ['plan.md:2:1: error: Field "title" must be a text, found {"a":1}']],
    ["---\na: 1\npartial: 7\n---\n", ['plan.md:3:1: error: Field "partial" must be true or false, found 7']],
    ["---\nparamters: []\n---\n", ['plan.md:2:1: warning: Field "paramters" is unknown; did you mean "parameters"?']],
    ["---\nsomething_else: 1\n---\n", []],
    ["---\narguments:\n  - name: a b\n---\n", [
      'plan.md:3:5: error: The name of an argument must be letters, digits, "_" or "-", found "a b"',
    ]],
    ["---\narguments:\n  - name: a\n  - name: a\n---\n", [
      'plan.md:4:5: error: Argument "a" is declared twice: remove one',
    ]],
    ["---\narguments:\n  - name: a\n    type: choise\n---\n", [
      'plan.md:4:5: warning: Type "choise" is unknown; did you mean "choice"?',
    ]],
    ["---\narguments:\n  - name: a\n    type: choice\n---\n", [
      'plan.md:4:5: error: Type "choice" needs "choices", a list of texts',
    ]],
    ["---\narguments: []\nparameters: []\n---\n", [
      'plan.md:2:1: error: "arguments" is another word for "parameters": keep one of them',
    ]],
    ["---\ntitle: A\n---\none\ntwo\u200b\n", [
      "plan.md:5:1: error: The template holds the hidden character U+200B: remove it",
    ]],
    [`---\ndescription: "a\\u202eb"\n---\n`, [
      'plan.md:2:1: error: Field "description" holds the hidden character U+202E: remove it',
    ]],
    ["---\na: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: &d [*c,*c]\ne: [*d,*d]\n---\n", [
      "plan.md:1:1: error: The front matter cannot be read: Excessive alias count indicates a resource exhaustion attack: " +
      "write it without aliases",
    ]],
  ];
  for (const [text, expected] of cases) assert.deepStrictEqual(await faults(text), expected, text);
});

Deno.test("Q1 whatever a file holds, it becomes a prompt or diagnostics inside it, and nothing is thrown", async () => {
  const line = fc.oneof(
    fc.constantFrom(
      "---",
      "title: A",
      "arguments:",
      "  - name: a",
      "    type: choice",
      "partial: true",
      "- x",
      "{",
      "? &a *a",
    ),
    fc.string(),
  );
  await fc.assert(fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
    const text = lines.join("\n");
    const { prompt, diagnostics } = await read(text);
    assert.ok(prompt !== undefined || diagnostics.some(({ severity }) => severity === "error"));
    for (const { line, column } of diagnostics) assert.ok(line >= 1 && line <= lines.length + 1 && column >= 1);
    if (prompt !== undefined) assert.ok(`${text.replaceAll("\r\n", "\n")}\n`.includes(`${prompt.body}\n`));
  }));
});
