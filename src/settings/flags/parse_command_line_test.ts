import assert from "node:assert/strict";
import { parseCommandLine } from "./parse_command_line.ts";

function parsed(...words: string[]): unknown {
  const result = parseCommandLine(words);
  if (!result.ok) return result.problem;
  const { subcommand, flags, operands } = result.value;
  return [subcommand, Object.fromEntries(flags), ...operands.length === 0 ? [] : [operands]];
}

Deno.test("L1 parseCommandLine() serves when no word or the word serve comes first", () => {
  assert.deepStrictEqual(parsed(), ["serve", {}]);
  assert.deepStrictEqual(parsed("serve", "--sync"), ["serve", { sync: [] }]);
});

Deno.test("L1 parseCommandLine() takes flags before the subcommand as well as after it", () => {
  assert.deepStrictEqual(parsed("--tools-dir", "x", "list-tools", "--json"), [
    "list-tools",
    { "tools-dir": ["x"], json: [] },
  ]);
  assert.deepStrictEqual(parsed("--sandbox-scope", "/s", "call", "git_log", "--oneline"), [
    "call",
    { "sandbox-scope": ["/s"] },
    ["git_log", "--oneline"],
  ]);
  assert.deepStrictEqual(parsed("--no-pool", "sandboxed_shell", "--", "x"), [
    "call",
    { "no-pool": [] },
    ["sandboxed_shell", "--", "x"],
  ]);
  assert.deepStrictEqual(parsed("--validate", "call"), ["validate", { validate: [] }, ["call"]]);
});

Deno.test("parseCommandLine() takes values after a blank and after an equals sign", () => {
  assert.deepStrictEqual(parsed("--timeout", "5", "--shell=/bin/sh", "--env=A=B"), [
    "serve",
    { timeout: ["5"], shell: ["/bin/sh"], env: ["A=B"] },
  ]);
});

Deno.test("parseCommandLine() adds up repeatable flags and refuses the others twice", () => {
  assert.deepStrictEqual(parsed("--read", "/a", "--read=/b"), ["serve", { read: ["/a", "/b"] }]);
  assert.deepStrictEqual(parsed("--sync", "--sync"), ["serve", { sync: [] }]);
  assert.strictEqual(
    parsed("--timeout", "5", "--timeout", "6"),
    'Cannot use flag "--timeout" with "5" and "6": it takes one value',
  );
});

Deno.test("parseCommandLine() takes a value that begins with a dash unless it is a flag", () => {
  assert.deepStrictEqual(parsed("--inline-wait", "-5"), ["serve", { "inline-wait": ["-5"] }]);
  assert.strictEqual(
    parsed("--tools-dir", "--sync"),
    'Cannot use flag "--tools-dir": it needs a value, as in "--tools-dir DIR"',
  );
  assert.strictEqual(parsed("--read"), 'Cannot use flag "--read": it needs a value, as in "--read DIR"');
});

Deno.test("L1 parseCommandLine() refuses unknown flags with a suggestion", () => {
  assert.strictEqual(parsed("--tool-dir", "x"), 'Unknown flag "--tool-dir": did you mean "--tools-dir"?');
  assert.strictEqual(parsed("--sandbox-scop=x"), 'Unknown flag "--sandbox-scop": did you mean "--sandbox-scope"?');
  assert.strictEqual(parsed("-x"), 'Unknown flag "-x": see "ahma_mcp --help"');
  assert.strictEqual(
    parsed("--scope", "x"),
    'Unknown flag "--scope": did you mean "--sandbox-scope" or "--allow-broad-scope"?',
  );
  assert.strictEqual(parsed("--jsno"), 'Unknown flag "--jsno": did you mean "--json"?');
  assert.strictEqual(
    parsed("serve", "--port", "1"),
    'Cannot use flag "--port" with "serve": it belongs to dashboard; did you mean "--http-port"?',
  );
  assert.strictEqual(parsed("--sync=yes"), 'Cannot use "--sync=yes": flag "--sync" takes no value');
});

Deno.test("parseCommandLine() refuses stray words, before and after --", () => {
  assert.strictEqual(parsed("sevre"), 'Unexpected argument "sevre": did you mean "serve"?');
  const flagsOnly = 'only flags are expected, see "ahma_mcp --help"';
  assert.strictEqual(parsed("--", "/x"), `Unexpected argument "/x": ${flagsOnly}`);
  assert.strictEqual(
    parsed("git_log", "--oneline"),
    `Unexpected argument "git_log": ${flagsOnly}; "ahma_mcp call git_log" calls a tool of this name`,
  );
  assert.deepStrictEqual(parsed("--sync", "--"), ["serve", { sync: [] }]);
});

Deno.test("parseCommandLine() knows -h and -V", () => {
  assert.deepStrictEqual(parsed("-h", "-V"), ["serve", { help: [], version: [] }]);
});

Deno.test("L1 parseCommandLine() takes _ for - in flags", () => {
  assert.deepStrictEqual(parsed("--tools_dir", "x", "--no_pool"), ["serve", { "tools-dir": ["x"], "no-pool": [] }]);
});

Deno.test("L1 parseCommandLine() knows the older forms that flags alone make", () => {
  assert.deepStrictEqual(parsed("--tool_name", "git", "--tool_args", "{}"), [
    "call",
    { "tool-name": ["git"], "tool-args": ["{}"] },
  ]);
  assert.deepStrictEqual(parsed("--list-tools", "--", "npx", "-y", "x"), [
    "list-tools",
    { "list-tools": [] },
    ["npx", "-y", "x"],
  ]);
  assert.deepStrictEqual(parsed("--mode", "list-tools", "--json"), ["list-tools", { mode: ["list-tools"], json: [] }]);
  assert.deepStrictEqual(parsed("--validate", "a.json"), ["validate", { validate: [] }, ["a.json"]]);
  assert.deepStrictEqual(parsed("sandboxed_shell", "--working-directory", ".", "--", "echo hi"), [
    "call",
    {},
    ["sandboxed_shell", "--working-directory", ".", "--", "echo hi"],
  ]);
});

Deno.test("L5 parseCommandLine() leaves everything after the tool's name to the tool", () => {
  assert.deepStrictEqual(parsed("call", "--quiet", "git_log", "--max-count", "3", "--quiet", "-h", "--", "x"), [
    "call",
    { quiet: [] },
    ["git_log", "--max-count", "3", "--quiet", "-h", "--", "x"],
  ]);
});

Deno.test("L1 parseCommandLine() refuses a flag where it means nothing, and says where it belongs", () => {
  assert.strictEqual(
    parsed("call", "--client", "vscode"),
    'Cannot use flag "--client" with "call": it belongs to init, uninstall, see "ahma_mcp call --help"',
  );
  assert.strictEqual(
    parsed("schema", "--sync"),
    'Cannot use flag "--sync" with "schema": it stands without a subcommand, see "ahma_mcp schema --help"',
  );
  assert.strictEqual(parsed("validate", "--strct"), 'Unknown flag "--strct": did you mean "--strict"?');
  assert.strictEqual(
    parsed("list-tools", "npx"),
    'Unexpected argument "npx": a command belongs after "--", as in "ahma_mcp list-tools -- npx"',
  );
  assert.strictEqual(
    parsed("doctor", "x"),
    'Unexpected argument "x": only flags are expected, see "ahma_mcp doctor --help"',
  );
});
