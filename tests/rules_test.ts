/** Rules over a project, through the packed program (K8, K10). */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { ROOT } from "./_support/repository.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, Workbench } from "./_support/workbench.ts";

interface Answer {
  readonly lines: readonly string[];
  readonly isError: boolean;
  /** What `_meta` counts; undefined: nothing. */
  readonly counts: unknown;
}

async function call(client: Client, name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  const { content, isError, _meta } = await client.callTool({ name, arguments: { ...args } });
  const [part] = content as readonly { readonly text: string }[];
  return { lines: (part?.text ?? "").split("\n"), isError: isError === true, counts: _meta?.["ahma/rules"] };
}

function rule(head: string, body = "Why.\n"): string {
  return `---\n${head}\n---\n${body}`;
}

const COMMIT = "git init -q . && git add . && git -c user.name=A -c user.email=a@example.com commit -qm 1";
const REVIEW = "Is {{ target_path }} polite?\n\n{{ target_content }}\n";

Deno.test("K8 rules find, leave out what a comment or git excepts, and ask for reviews of new content only", async () => {
  using bench = new Workbench("ordinary");
  bench.write(".ahma/rules/no-todo.md", rule('severity: warning\nmatch: TODO\nfiles: "*.ts"\nfix: DONE'));
  bench.write(".ahma/rules/polite.md", rule("severity: error\nfiles: src/*.ts", REVIEW));
  bench.write(`${bench.home}/.config/ahma/rules/own/tabs.md`, rule("severity: hint\ntitle: A tab\nmatch: '\\t'"));
  bench.write("src/a.ts", "one\n  TODO\n");
  bench.write("src/b.ts", "// ahma rule ignore no-*\n// TODO\n\t\n");
  bench.write("ignored/c.ts", "TODO\n");
  bench.write(".gitignore", "ignored\n");
  await using server = await ServerProcess.start(bench, {
    era: "none",
    flags: ["--inline-wait", "60000", "--bundles", "rules"],
  });
  const client = await connectClient(server, "2025-11-25");
  const names = ["no-todo", "own/tabs", "polite"];
  const check = (args: Readonly<Record<string, unknown>> = {}) =>
    call(client, "rules_check", { rule_names: names, ...args });
  await call(client, "sandboxed_shell", { command: COMMIT });
  const first = await check();
  assert.deepEqual(first.lines.slice(0, 4), [
    "src/a.ts:2:3 warning no-todo no-todo (fix: DONE)",
    "src/b.ts:3:1 hint own/tabs A tab",
    "1 warning, 1 hint; 3 rules, 5 files.",
    "2 reviews without a verdict; the next 2 follow. Read each, call rules_verdict, then rules_check for the rest.",
  ]);
  assert.deepEqual(first.counts, { error: 0, warning: 1, info: 0, hint: 1, files: 5, failed: 0 });
  const ids = first.lines.flatMap((line) => /^--- review_id (\S+) \(error\)$/.exec(line)?.[1] ?? []);
  assert.deepEqual(ids.map((id) => id.replace(/[0-9a-f]{12}/, "KEY")), [
    "polite:KEY:src/a.ts",
    "polite:KEY:src/b.ts",
  ]);
  assert.deepEqual(first.lines.slice(6, 11), [
    "Is src/a.ts polite?",
    "",
    "one",
    "  TODO",
    `--- review_id ${ids[1]} (error)`,
  ]);
  assert.deepEqual((await check({ severity: "warning", review: "none", limit: 1 })).lines, [
    "src/a.ts:2:3 warning no-todo no-todo (fix: DONE)",
    "1 warning; 2 rules, 5 files.",
    "2 reviews without a verdict.",
  ]);
  bench.write("src/b.ts", "fine\n");
  const verdicts = [
    { review_id: ids[0], pass: false, findings: [{ line: 1, message: "One is no greeting", suggestion: "Hello" }] },
    { review_id: ids[1], pass: true },
    { review_id: "no", pass: true },
    { review_id: ids[0], pass: false },
    { review_id: ids[0], pass: false, findings: [{ line: 9, message: "x" }] },
  ];
  assert.deepEqual(await call(client, "rules_verdict", { verdicts }), {
    lines: [
      `Refused ${ids[1]}: file or rule changed since; rules_check asks again`,
      "Refused no: it is not a review_id of rules_check",
      `Refused ${ids[0]}: "pass" is false without findings: name at least one`,
      `Refused ${ids[0]}: the file has 3 lines, a finding names line 9`,
      "Recorded 1 verdict.",
    ],
    isError: true,
    counts: undefined,
  });
  const changed = await check({ changed: true });
  assert.deepEqual(changed.lines.slice(0, 2).map((line) => line.slice(0, 30)), [
    "No finding; 3 rules, 1 file.",
    "1 review without a verdict; th",
  ]);
  const again = changed.lines.flatMap((line) => /^--- review_id (\S+)/.exec(line)?.[1] ?? []);
  assert.deepEqual((await call(client, "rules_verdict", { verdicts: [{ review_id: again[0], pass: true }] })).lines, [
    "Recorded 1 verdict.",
  ]);
  await server[Symbol.asyncDispose]();
  const { stdout, code } = await runProgram(bench, [
    "rules",
    "check",
    ...names.flatMap((name) => ["--rule-names", name]),
  ]);
  assert.deepEqual([stdout.trimEnd().split("\n"), code], [[
    "src/a.ts:1:1 error polite One is no greeting (fix: Hello)",
    "src/a.ts:2:3 warning no-todo no-todo (fix: DONE)",
    "1 error, 1 warning; 3 rules, 5 files.",
  ], 1]);
});

const NESTED = `export function deep(a: number, b: number) {
  if (a > b) {
    for (const c of [a]) {
      while (c) eval("1");
    }
  } else if (a) {
    return (d: number) => d;
  }
}
`;

type Check = (args: Readonly<Record<string, unknown>>) => Promise<Answer>;

async function findsBySyntaxAndSize(bench: Workbench, check: Check): Promise<void> {
  bench.write("src/a.ts", NESTED);
  bench.write("many/a.go", "// TODO TODO\n".repeat(51));
  bench.write(".ahma/rules/todo.md", rule("severity: hint\nmatch: TODO\nlanguages: [go]"));
  const many = await check({ file_paths: ["many"], limit: 1 });
  assert.deepEqual(many.lines.slice(1, 3), [
    '[1 of 100; a higher "limit" shows more]',
    "100 hint; 11 rules, 1 file.",
  ]);
  assert.ok(many.lines.includes("Skipped: rule todo, many/a.go: findings after the first 100"), many.lines.join("\n"));
  bench.write("src/b.py", "class A:\n    def m(self, x, y):\n        pass\n");
  const source = '(call_expression function: (identifier) @name (#eq? @name "eval")) @finding';
  bench.write(".ahma/rules/eval.md", rule(`severity: error\ntitle: Evil\nlanguages: [ts]\nquery: |\n  ${source}`));
  bench.write(".ahma/rules/wrong.md", rule("severity: error\nlanguages: [py]\nquery: (nothing) @finding"));
  const limits = "{function_lines: 8, file_lines: 8, nesting: 2, parameters: 1}";
  bench.write(".ahma/rules/size.md", rule(`severity: hint\nmax: ${limits}`));
  const { lines, counts } = await check({ file_paths: ["src"] });
  assert.deepEqual(lines, [
    "src/a.ts:1:1 hint size The file has 9 lines, at most 8",
    "src/a.ts:1:8 hint size deep has 9 lines, at most 8",
    "src/a.ts:1:8 hint size deep takes 2 parameters, at most 1",
    "src/a.ts:1:8 hint size deep nests 3 conditions and loops, at most 2",
    "src/a.ts:4:17 error eval Evil",
    "src/b.py:2:5 hint size m takes 2 parameters, at most 1",
    "1 error, 5 hint; 14 rules, 2 files.",
    "6 reviews without a verdict.",
    "Skipped: rule wrong: The query does not fit the grammar of python: Bad node name 'nothing', on src/b.py",
  ]);
  assert.deepEqual(counts, { error: 1, warning: 0, info: 0, hint: 5, files: 2, failed: 1 });
}

Deno.test("K8 K10 rules of a project, and what docs/rules.md shows of them", async (test) => {
  using bench = new Workbench();
  const page = await Deno.readTextFile(new URL("../docs/rules.md", import.meta.url));
  const own = bench.write(".ahma/rules/todo-with-issue.md", /```markdown\n([^]*?)```/.exec(page)?.[1] ?? "");
  bench.write("code/clock.go", "// TODO set it\n");
  bench.write("code/key.pem", `-----BEGIN PRIVATE KEY-----\n${"MIIEvQ".repeat(10)}\n`);
  const flags = ["--inline-wait", "60000", "--bundles", "rules"];
  await using server = await ServerProcess.start(bench, { era: "none", flags });
  const client = await connectClient(server, "2025-11-25");
  const check: Check = (args) => call(client, "rules_check", { review: "none", ...args });

  await test.step("the page shows what its commands print", async () => {
    const example = /```console\n([^]*?)```/.exec(page)?.[1] ?? "";
    const [all = "", some = "", ...more] = example.split(/^\$ ahma_mcp /m).slice(1);
    assert.deepEqual(more, []);
    const [first, ...found] = all.trimEnd().split("\n");
    assert.deepEqual([first, (await check({})).lines], ["rules check", found]);
    const [line = "", ...expected] = some.trimEnd().split("\n");
    const { stdout, code } = await runProgram(bench, [...line.split(" "), "--quiet"]);
    assert.deepEqual([stdout.trimEnd().split("\n"), code], [expected, 0]);
  });

  await test.step("what does not exist is told, and a sound rule where it may not be written", async () => {
    const failed = await check({ rule_names: ["private-keys"] });
    assert.deepEqual(failed.lines, ['There is no rule "private-keys"; did you mean "private-key"?']);
    const slip = await check({ file_paths: ["cod"] });
    assert.deepEqual([slip.lines, slip.isError], [['No file matches "cod"; files_glob finds paths'], true]);
    const made = { name: "no-print", content: "Why.", severity: "error", fields: { match: "print" } };
    const denied = await call(client, "rules_create", made);
    const text = denied.lines.join("\n");
    assert.match(text, /^Cannot change ".ahma\/rules\/no-print.md"\.\nSandbox: .*--allow-protected/);
    assert.match(text, /\n---\nseverity: error\nmatch: print\n---\nWhy\.\n*$/);
    const words = ["rules_create", "no-print", "Why.", "error", "--fields", "match=print"];
    const allowed = await runProgram(bench, ["call", "--allow-protected", `${bench.scope}/.ahma`, ...words]);
    assert.match(allowed.stdout, /^\.ahma\/rules\/no-print\.md: created, rev \w{12}\n$/);
    assert.deepEqual([failed.isError, denied.isError, allowed.code], [true, true, 0]);
  });

  await test.step("rules find by queries of a grammar and by numbers of functions and files", async () => {
    for (const path of [own, `${bench.scope}/.ahma/rules/no-print.md`]) await Deno.remove(path);
    await findsBySyntaxAndSize(bench, check);
  });
});

Deno.test("K8 programs of a hostile repository's rules run in the sandbox, and what cannot be used is skipped with the reason", async () => {
  using bench = new Workbench();
  const outside = `${bench.elsewhere}/planted`;
  const secret = bench.write(`${bench.elsewhere}/secret.md`, rule("severity: error\nmatch: secret"));
  bench.write("a.txt", "a\n");
  const line = `echo x > ${outside}; cat ${bench.home}/.ssh/id; touch inside; echo a.txt:1: ran`;
  bench.write(`${bench.home}/.ssh/id`, "a.txt:1: stolen\n");
  bench.write(".ahma/rules/program.md", rule(`severity: info\ncommand: [sh, -c, "${line}"]`));
  bench.write(".ahma/rules/missing.md", rule("severity: info\ncommand: [no-such-linter, x]"));
  bench.write(".ahma/rules/failing.md", rule('severity: info\ncommand: [sh, -c, "echo no config >&2; exit 3"]'));
  const link = `${bench.scope}/.ahma/rules/link.md`;
  await Deno.symlink(secret, link); // for the worker there is nothing
  const { stdout, code } = await runProgram(bench, ["rules", "check", "a.txt", "--quiet"]);
  assert.deepEqual(stdout.trimEnd().split("\n"), [
    "a.txt:1:1 info program ran",
    "1 info; 13 rules, 1 file.",
    `Skipped: ${link}: error: Cannot read prompt: No such file or directory (os error 2): realpath '${link}': make it readable`,
    'Skipped: rule failing: "sh" ended with exit code 3: no config',
    'Skipped: rule missing: Cannot run "no-such-linter": there is no such program on the PATH',
  ]);
  assert.deepEqual([code, exists(outside), exists(`${bench.scope}/inside`)], [2, false, true]);
});

Deno.test("K8 the rules find nothing in this repository, and each of its own is sound", async () => {
  using bench = new Workbench();
  const { stdout, code } = await runProgram(bench, ["rules", "check", "--quiet"], { directory: ROOT.pathname });
  assert.match(stdout, /^No finding; 15 rules, \d{4} files\.\n\d+ reviews without a verdict\.\n$/);
  assert.equal(code, 0);
});
