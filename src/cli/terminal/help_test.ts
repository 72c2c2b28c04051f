import assert from "node:assert/strict";
import { FLAGS, SERVER_FLAGS } from "../../settings/flags/flags.ts";
import { helpText, wrapped } from "./help.ts";
import { factsOf, SUBCOMMANDS } from "../../settings/flags/subcommands.ts";

Deno.test("L1 helpText() explains every flag with its variable, in lines that fit", () => {
  const text = helpText({ colour: false });
  for (const name of SERVER_FLAGS) assert.match(text, new RegExp(`^  --${name}( [A-Z]+)?  `, "m"));
  assert.match(text, /\[AHMA_NO_SANDBOX\]/);
  assert.match(text, /^Examples\n {2}ahma_mcp\n/m);
  assert.deepStrictEqual(text.split("\n").filter((line) => line.length > 100), []);
  assert.deepStrictEqual(text.split("\n").filter((line) => line.includes("\x1b")), []);
});

Deno.test("helpText() adds colour and nothing else on a terminal", () => {
  // deno-lint-ignore no-control-regex -- the escape character is what is looked for
  const stripped = helpText({ colour: true }).replace(/\x1b\[\d+m/g, "");
  assert.strictEqual(stripped, helpText({ colour: false }));
  assert.notStrictEqual(helpText({ colour: true }), stripped);
});

Deno.test("FLAGS: variables are all AHMA_ and all different", () => {
  const variables = Object.values(FLAGS).flatMap((flag) => "variable" in flag ? [flag.variable] : []);
  assert.deepStrictEqual(variables.filter((name) => !/^AHMA_[A-Z_]+$/.test(name)), []);
  assert.strictEqual(new Set(variables).size, variables.length);
});

Deno.test("L1 helpText() explains every subcommand with its flags and examples, in lines that fit", () => {
  for (const subcommand of SUBCOMMANDS) {
    const text = helpText({ colour: false, subcommand });
    const { flags, examples } = factsOf(subcommand);
    for (const name of flags) assert.match(text, new RegExp(`^  --${name} `, "m"), subcommand);
    assert.ok(examples.length > 0, subcommand);
    for (const [command] of examples) assert.ok(text.includes(`\n  ${command}\n`), command);
    assert.deepStrictEqual(text.split("\n").filter((line) => line.length > 100), []);
  }
});

Deno.test("wrapped() breaks at blanks and leaves long words whole", () => {
  assert.deepStrictEqual(wrapped("ab cd ef longer-than-that x", 5), ["ab cd", "ef", "longer-than-that", "x"]);
});
