import assert from "node:assert/strict";
import { readRule } from "./read_rule.ts";

async function read(head: string, body = "Text\n") {
  return await readRule({ name: "a/b", origin: "project", file: "b.md", text: `---\n${head}\n---\n${body}` });
}

async function messageOf(head: string, body?: string): Promise<string | undefined> {
  return (await read(head, body)).diagnostics[0]?.message;
}

Deno.test("K8 front matter names the engine of a rule; without one the text is for a reviewer", async () => {
  const head = 'title: T\nseverity: info\ntags: [x]\nauto_fix: false\nmatch: "a\\\\d"\nlanguages: [go]\nfiles: src/**';
  assert.deepEqual((await read(head)).rule, {
    name: "a/b",
    origin: "project",
    file: "b.md",
    title: "T",
    description: undefined,
    category: undefined,
    severity: "info",
    files: ["src/**"],
    languageGlobs: ["*.go"],
    message: undefined,
    engine: { kind: "match", pattern: "a\\d", not: undefined, multiline: false, fix: undefined },
    body: "Text\n",
    linesBefore: 9,
  });
  const command = await read('severity: error\ncommand: [eslint, -f, json, "{files}"]\nparse: json');
  assert.deepEqual(command.rule?.engine, {
    kind: "command",
    words: ["eslint", "-f", "json", "{files}"],
    parse: "json",
  });
  assert.deepEqual((await read("severity: hint")).rule?.engine, { kind: "review" });
});

Deno.test("K8 a mistake in a rule is told with its remedy, and the rule is left out", async () => {
  const expected = [
    ["title: T", 'Field "severity" is missing: write one of error, warning, info, hint'],
    ["severity: eror", 'Field "severity" is "eror"; did you mean "error"?: write one of error, warning, info, hint'],
    ["severity: error\nmatch: '('", 'Field "match" is not a regular expression: Unterminated group'],
    ["severity: error\nmatch: ' '", 'Field "match" needs a regular expression, as in "TODO"'],
    ["severity: error\nmatch: a\ncommand: [b]", "Fields match and command: keep one of them"],
    [
      "severity: error\ncommand: [b]\nparse: xml",
      'Field "parse" is "xml": write one of "file:line:col: message", "sarif", "json"',
    ],
    ["severity: error\nmacth: a", 'Field "macth" is unknown; did you mean "match"?'],
    ["severity: error\nmax: 3", 'Field "max" must be numbers by name, as in {function_lines: 50, parameters: 5}'],
    [
      "severity: error\nmax: {lines: 3}",
      'Field "lines" is unknown: max takes function_lines, file_lines, nesting, parameters',
    ],
    ["severity: error\nmax: {nesting: -1}", 'Field "nesting" must be a whole number, found -1'],
    [
      "severity: error\nquery: (a) @b",
      'Field "query" captures nothing as @finding, which marks the place of a finding',
    ],
    [
      "severity: error\nast_grep: {rule: a}",
      'Field "ast_grep" is not known here: write "command" with the program ast-grep',
    ],
  ] as const;
  for (const [head, message] of expected) assert.equal(await messageOf(head), message);
  const noGrammar = await messageOf("severity: error\nquery: (a) @finding\nlanguages: [md]");
  assert.match(noGrammar ?? "", /^Field "query" needs "languages" with a grammar \(bash, /);
  assert.match(
    await messageOf("severity: error\nlanguages: [cobol]") ?? "",
    /^Language "cobol" is not known: write one of c, /,
  );
  assert.equal(
    await messageOf("severity: error", "\n"),
    "The rule has no engine and no text: write what a reviewer looks for",
  );
});
