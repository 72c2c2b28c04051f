/** `ahma_mcp prompts`, and the example of docs/prompts.md (Q1, Q2, L1). */
import assert from "node:assert/strict";
import { ROOT } from "./_support/repository.ts";
import { runOnTerminal, runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

Deno.test("Q1 Q2 the example of docs/prompts.md works as it is printed", async () => {
  const text = await Deno.readTextFile(new URL("docs/prompts.md", ROOT));
  const files = [...text.matchAll(/`(\.ahma\/prompts\/[\w.]+)`[^`]*```markdown\n([\s\S]*?)```\n/g)];
  const console = /```console\n\$ ahma_mcp (prompts render .*)\n([\s\S]*?)```/.exec(text);
  assert.deepStrictEqual(files.map(([, path]) => path), [".ahma/prompts/review.md", ".ahma/prompts/_rules.md"]);
  using bench = new Workbench();
  for (const [, path = "", body = ""] of files) bench.write(path, body);
  const { code, stdout, stderr } = await runProgram(bench, console?.[1]?.split(" ") ?? []);
  assert.deepStrictEqual({ code, stdout, stderr }, { code: 0, stdout: console?.[2], stderr: "" });
});

Deno.test("Q1 Q2 L1 prompts lists, shows and renders; what is wrong goes to stderr with its place", async () => {
  using bench = new Workbench();
  bench.write(
    ".ahma/prompts/talk.md",
    "---\ndescription: Two voices.\narguments:\n- {name: who, required: true, description: A name}\n- {name: how, choices: [a, b], default: a}\n" +
      '---\nHi {{ who }}\n{% role "assistant" %}\nHello',
  );
  bench.write(".ahma/prompts/bad.md", "{% if %}");
  const run = (...words: readonly string[]) => runProgram(bench, ["prompts", ...words]);
  const bad = `${bench.scope}/.ahma/prompts/bad.md:1:6: error: `;
  const listed = await run();
  assert.deepStrictEqual([listed.code, listed.stdout], [
    0,
    "bad\t\tbad (project) [project]\ntalk\twho* how\tTwo voices. [project]\n",
  ]);
  assert.ok(listed.stderr.startsWith(bad), listed.stderr);
  const names = JSON.parse((await run("list", "--prompts", "--json")).stdout).prompts.map((one: { name: string }) =>
    one.name
  );
  assert.deepStrictEqual([names.length, names.includes("plan"), names.includes("talk")], [14, true, true]);
  assert.deepStrictEqual(await run("show", "talk"), {
    code: 0,
    stdout: [
      `talk (project, ${bench.scope}/.ahma/prompts/talk.md)`,
      "Two voices.",
      "",
      "Arguments (* required)",
      "  who*  A name",
      "  how   (a|b; default: a)",
      "",
      "Template",
      'Hi {{ who }}\n{% role "assistant" %}\nHello\n',
    ].join("\n"),
    stderr: "",
  });
  assert.deepStrictEqual(await run("render", "talk", "who=A=B"), {
    code: 0,
    stdout: "[user]\nHi A=B\n\n[assistant]\nHello\n",
    stderr: "",
  });
  // What arguments are refused: src/prompt/format/argument_values_test.ts.
  const refused: readonly (readonly [words: readonly string[], code: number, stderr: string])[] = [
    [["render", "tlak"], 1, 'No prompt is named "tlak"; did you mean "talk"?'],
    [["show", "zzzzz"], 1, 'No prompt is named "zzzzz": "ahma_mcp prompts list" names all'],
    [["shwo"], 2, 'Unknown action "shwo": expected one of list, show, render; did you mean "show"?'],
    [["--prompt-env", "API_KEY"], 2, 'Cannot show prompts variable "API_KEY": by its name it holds a credential'],
  ];
  const answered = await Promise.all(refused.map(([words]) => run(...words)));
  assert.deepStrictEqual(
    answered,
    refused.map(([, code, stderr]) => ({ code, stdout: "", stderr: `${stderr}\n` })),
  );
});

Deno.test("L1 prompts list is a coloured table on a terminal", async () => {
  using bench = new Workbench();
  const { code, stdout } = await runOnTerminal(bench, ["prompts", "list", "--prompts"]);
  assert.deepStrictEqual([code, stdout.replaceAll(/ +/g, " ").includes("\x1b[1mplan\x1b[0m Turns a goal into")], [
    0,
    true,
  ], stdout);
});
