import assert from "node:assert/strict";
import { FLAG_NAMES, flagNamed, SERVER_FLAGS } from "../../settings/flags/flags.ts";
import { helpText, wrapped } from "./help.ts";
import { factsOf, SUBCOMMANDS } from "../../settings/flags/subcommands.ts";

Deno.test("L1 helpText() explains every flag with its variable, in lines that fit", () => {
  const text = helpText({ colour: false });
  for (const name of SERVER_FLAGS) assert.match(text, new RegExp(`^  --${name}( [A-Z=]+)?  `, "m"));
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

Deno.test("L7 flagNamed() names the variable of a flag of the server after it", () => {
  const withVariable = FLAG_NAMES.filter((name) => flagNamed(name).variable !== undefined);
  assert.deepStrictEqual(withVariable, SERVER_FLAGS.filter((name) => name !== "help" && name !== "version"));
  assert.strictEqual(flagNamed("no-sandbox").variable, "AHMA_NO_SANDBOX");
});

Deno.test("L1 helpText() explains every subcommand with its flags and examples, in lines that fit", () => {
  for (const subcommand of SUBCOMMANDS) {
    const text = helpText({ colour: false, subcommand });
    const { flags, examples } = factsOf(subcommand);
    if (subcommand !== "serve") assert.ok(text.startsWith(`ahma_mcp ${subcommand}: `), text);
    assert.match(text, /^Examples\n {2}\S/m);
    for (const name of flags) assert.match(text, new RegExp(`^  --${name} `, "m"), subcommand);
    assert.ok(examples.length > 0, subcommand);
    for (const [command] of examples) assert.ok(text.includes(`\n  ${command}\n`), command);
    assert.deepStrictEqual(text.split("\n").filter((line) => line.length > 100), []);
  }
});

Deno.test("wrapped() breaks at blanks and leaves long words whole", () => {
  assert.deepStrictEqual(wrapped("ab cd ef longer-than-that x", 5), ["ab cd", "ef", "longer-than-that", "x"]);
});
