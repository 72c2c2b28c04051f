import assert from "node:assert/strict";
import fc from "fast-check";
import { parseTemplate, renderTemplate, shellText } from "./template.ts";

function template(text: string) {
  const parsed = parseTemplate(text);
  return parsed.ok ? parsed.value : assert.fail(parsed.problem);
}

Deno.test("K7 values stand where a text names them, and texts without names stay as they are", () => {
  const text = template("a {{ x }} ${y.z} {{-y.w-}} $HOME ${HOME:-/}");
  assert.equal(renderTemplate(text, { x: 1, y: { z: "b", w: ["c"] } }), 'a 1 b ["c"] $HOME ${HOME:-/}');
  assert.equal(renderTemplate(template("{{ constructor }}{{ x.length }}"), { x: "text" }), "");
});

Deno.test("K7 a filter or a tag of Liquid in an action is refused", () => {
  assert.match(JSON.stringify(parseTemplate("{{ x | upcase }}")), /"{{ x \| upcase }}\\" is not a variable/);
  assert.match(JSON.stringify(parseTemplate("{% if x %}")), /work in prompts only/);
});

/** A value is one word, or a part of one, in each place of a shell line. */
const PLACES: readonly (readonly [line: string, expected: (value: string) => string])[] = [
  ["printf %s {{ x }}", (value) => value],
  ['printf %s "<{{ x }}>"', (value) => `<${value}>`],
  ["printf %s '<{{ x }}>'", (value) => `<${value}>`],
  [`printf %s a\\"{{ x }}`, (value) => `a"${value}`],
];

Deno.test("K7 no value becomes a command of a shell line, in quotation marks of either kind or without", async () => {
  const values = fc.sample(fc.string({ unit: fc.constantFrom(..."'\"`$();|&\n\\ a*~") }), 20);
  for (const [line, expected] of PLACES) {
    const parts = template(line);
    for (const value of [...values, '"; touch pwned; "', "'; touch pwned; '", "$(touch pwned)"]) {
      const { line: text, environment } = shellText(parts, { x: value });
      const { stdout } = await new Deno.Command("bash", { args: ["-c", text], env: environment }).output();
      assert.equal(new TextDecoder().decode(stdout), expected(value));
    }
  }
});
