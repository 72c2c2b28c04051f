/**
 * What a person can get wrong in a tool file: one good file, changed in one place at a time. Each change is refused
 * with the place and the reason, or taken with a reason why it is legal; and the server starts whatever lies there.
 * Files as other programs of this kind and earlier times write them are taken, or refused alone, and never end it.
 */
import assert from "node:assert/strict";
import { describeDiagnostic, type Diagnostic } from "../src/base/diagnostic.ts";
import { loadCatalogFromTexts } from "../src/catalog/load/load.ts";
import { until } from "./_support/deadline.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";
import { HARMLESS } from "./mutations/harmless.ts";
import { JSON_TEXT } from "./mutations/json_text.ts";
import { MEANING } from "./mutations/meaning.ts";
import { MISSING } from "./mutations/missing.ts";
import { mutated, type Mutation } from "./mutations/mutation.ts";
import { TYPES } from "./mutations/types.ts";
import { UNKNOWN_FIELDS } from "./mutations/unknown_fields.ts";
import { VALUES } from "./mutations/values.ts";

const GOOD = await Deno.readTextFile(new URL("./mutations/good.json", import.meta.url));
const MUTATIONS: readonly Mutation[] = [
  ...JSON_TEXT,
  ...MISSING,
  ...TYPES,
  ...UNKNOWN_FIELDS,
  ...VALUES,
  ...MEANING,
  ...HARMLESS,
];

/** Without the file's name, and without the list of every field there is. */
function sentence(problem: Diagnostic): string {
  return describeDiagnostic(problem).replace("tool.json:", "").replace(/known fields: .*(?= \()/, "known fields: …");
}

Deno.test("T2 the unmutated file is valid", async () => {
  const { leaves, diagnostics } = await loadCatalogFromTexts([{ file: "tool.json", text: GOOD }]);
  assert.deepStrictEqual(diagnostics, []);
  assert.deepStrictEqual(leaves.map(({ name }) => name), [
    "store_put",
    "store_list",
    "store_remote_add",
    "store_remote",
    "store_all",
  ]);
});

for (const mutation of MUTATIONS) {
  Deno.test(`T4 ${mutation.what} is ${mutation.legal === undefined ? "refused" : "legal"}`, async () => {
    const catalog = await loadCatalogFromTexts([{ file: "tool.json", text: mutated(GOOD, mutation) }]);
    assert.deepStrictEqual(catalog.diagnostics.map(sentence), mutation.says);
    const errors = catalog.diagnostics.filter(({ severity }) => severity === "error");
    assert.equal(errors.length === 0, mutation.legal !== undefined);
    if (errors.length > 0) assert.deepStrictEqual(catalog.leaves, []);
  });
}

Deno.test("T4 over a hundred mutations are refused, and each of them by its line", () => {
  const refused = MUTATIONS.filter(({ legal }) => legal === undefined);
  assert.ok(refused.length >= 100, `${refused.length}`);
  for (const { what, says } of refused) assert.match(says[0] ?? "", /^[1-9]\d*:[1-9]\d*: error: /, what);
});

/** What no mutation of a text can be. */
const HOPELESS: Readonly<Record<string, string>> = {
  "a-empty.json": "",
  "a-blank.json": "\n \n",
  "a-deep.json": "[".repeat(100_000),
  "a-deep-object.json": '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000),
  "a-binary.json": "\u0000\u0001\u0002",
  "a-prose.json": "Dear server,",
};

/** The mutation as a file of its own, whose program is there. */
function fileOf(mutation: Mutation, index: number): string {
  return mutated(GOOD, mutation).replaceAll("store-it", "true").replaceAll('"store"', `"m${index}"`);
}

async function listedNames(server: ServerProcess): Promise<readonly string[]> {
  const names: string[] = [];
  let cursor: unknown;
  do {
    const { result } = await server.request("tools/list", cursor === undefined ? {} : { cursor });
    // The wire format of tools/list.
    const page = result as { readonly tools: readonly { readonly name: string }[]; readonly nextCursor?: string };
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}

Deno.test("T1 T4 the server starts with every mutation in one directory and serves what is good", async () => {
  using bench = new Workbench();
  for (const [index, mutation] of MUTATIONS.entries()) bench.write(`tools/m${index}.json`, fileOf(mutation, index));
  for (const [name, text] of Object.entries(HOPELESS)) bench.write(`tools/${name}`, text);
  // A field without effect may hold anything.
  bench.write("tools/deep.json", `{"command":"true","input_schema":${"[".repeat(50_000)}${"]".repeat(50_000)}}`);
  bench.write(
    "tools/zz-good.json",
    '{"name":"good","description":"Says it","command":"echo good","synchronous":true,"allow_args":true}',
  );
  await using server = await ServerProcess.start(bench, { flags: ["--tools-dir", `${bench.scope}/tools`] });
  const legal = MUTATIONS.flatMap(({ legal, what }, index) =>
    legal === undefined || what === "a tool that is switched off" ? [] : [`m${index}`]
  );
  const served = async () => {
    const names = (await listedNames(server)).map((name) => /^m\d+/.exec(name)?.[0]);
    return [...new Set(names)].filter((name) => name !== undefined);
  };
  await until(async () => (await served()).length >= legal.length, 20_000, "the probes of what is legal");
  assert.deepStrictEqual((await served()).toSorted(), legal.toSorted());
  assert.match((await server.call("good", { args: ["as ever"] })).text, /^good as ever$/m);
  assert.ok((await listedNames(server)).includes("true"));
  const status = await server.call("status");
  for (const name of Object.keys(HOPELESS)) assert.ok(status.text.includes(name), `${name} in ${status.text}`);
});

interface Example {
  readonly what: string;
  readonly file: string;
  readonly content: unknown;
  /** MCP names it gives; empty: none. */
  readonly names: readonly string[];
  /** Everything said about it, without places in the text. */
  readonly says: readonly string[];
}

const QUIET = { description: "Says it", synchronous: true };

const EXAMPLES: readonly Example[] = [
  {
    what: "one MCP tool per file, with hints under free keys",
    file: "lint.json",
    content: {
      name: "lint",
      command: "echo",
      description: "Lints",
      hints: { default: "Fix first.", doc: "Read it.", test_coverage: "Look at the numbers." },
      subcommand: [{ name: "default", ...QUIET, argv: ["lint"] }],
    },
    names: ["lint"],
    says: [],
  },
  {
    what: "hints under custom",
    file: "hinted.json",
    content: { command: "true", ...QUIET, hints: { build: "First.", custom: { deploy: "Last." } } },
    names: ["true"],
    says: [],
  },
  {
    what: "the older word force_synchronous",
    file: "forced.json",
    content: { name: "forced", command: "echo", description: "Says it", force_synchronous: true },
    names: ["forced"],
    says: [],
  },
  {
    what: "a file without a name",
    file: "nameless.json",
    content: { command: "/usr/bin/env echo", ...QUIET },
    names: ["env"],
    says: [],
  },
  {
    what: "an unknown format",
    file: "formats.json",
    content: { name: "formats", command: "echo", ...QUIET, options: [{ name: "color", format: "path-or-value" }] },
    names: ["formats"],
    says: [
      'warning: Format "path-or-value" of argument "color" is unknown: treated as plain text (/options/0/format)',
    ],
  },
  {
    what: "a name that is reserved here",
    file: "sandboxed_shell.json",
    content: { name: "sandboxed_shell", command: "bash -c", ...QUIET, subcommand: [{ name: "default", ...QUIET }] },
    names: [],
    says: [`error: Tool name "sandboxed_shell" is reserved for Ahma's own tool: rename it (/name)`],
  },
  {
    what: "a guidance file among the tools",
    file: "tool_guidance.json",
    content: { guidance_blocks: { async: "Go on." }, templates: {}, legacy_guidance: { tool_specific_guidance: {} } },
    names: [],
    says: [
      "warning: The file holds guidance for another program and no tool: it has no effect, put what matters " +
      'into "description" or "hints" of the tools',
    ],
  },
  {
    what: "a template of shell text",
    file: "template.json",
    content: {
      name: "template",
      command: "bash",
      subcommand: [{ name: "wait", ...QUIET, args_template: "-c 'sleep {{seconds}}'" }],
    },
    names: [],
    says: [
      'error: Field "args_template" is unknown: nothing is put together as shell text here: fixed words go into ' +
      '"argv", values into "options" (/subcommand/0/args_template)',
    ],
  },
  {
    what: "a file that watches a log",
    file: "log.json",
    content: { name: "log", command: "echo", ...QUIET, tool_type: "livelog", livelog: { source_command: "adb" } },
    names: ["log"],
    says: [
      'warning: Field "livelog" has no effect here: remove it (/livelog)',
      'warning: Field "tool_type" has no effect here: remove it (/tool_type)',
    ],
  },
  {
    what: "meta-parameters declared as options",
    file: "meta.json",
    content: {
      name: "meta",
      command: "echo",
      ...QUIET,
      options: [
        { name: "working_directory", type: "string", format: "path", description: "Where" },
        { name: "timeout_seconds", type: "integer", description: "How long" },
      ],
    },
    names: ["meta"],
    says: [],
  },
  {
    what: "an option called args",
    file: "args.json",
    content: { name: "args", command: "echo", ...QUIET, options: [{ name: "args", type: "string" }] },
    names: ["args"],
    says: [
      'warning: Option "args" reaches the program as "--args": to accept raw arguments, remove the option and set ' +
      '"allow_args": true (/options/0/name)',
    ],
  },
  {
    what: "words of a subcommand joined by _",
    file: "joined.json",
    content: { name: "joined", command: "echo", subcommand: [{ name: "pr_create", ...QUIET }] },
    names: ["joined_pr_create"],
    says: [
      'warning: Subcommand name "pr_create" holds "_" and reaches the program as one word: if several are meant, add ' +
      '"argv": ["pr","create"] (/subcommand/0/name)',
    ],
  },
  {
    what: "a shell with a program as subcommand",
    file: "files.json",
    content: { name: "files", command: "/bin/sh", subcommand: [{ name: "echo", ...QUIET }] },
    names: ["files_echo"],
    says: [],
  },
  {
    what: "a shell with -c and a program as subcommand",
    file: "shell.json",
    content: {
      name: "shell",
      command: "bash -c",
      subcommand: [{ name: "ls", ...QUIET }, { name: "default", ...QUIET }],
    },
    names: ["shell_ls", "shell"],
    says: [
      'warning: "bash -c" takes "ls" for the whole text of the shell and drops the arguments: use "command": "bash" to ' +
      'run the program "ls", or give the text in "argv" (/subcommand/0/name)',
    ],
  },
  {
    what: "steps beside subcommands",
    file: "both.json",
    content: {
      name: "both",
      command: "echo",
      ...QUIET,
      subcommand: [{ name: "one", ...QUIET }, { name: "two", ...QUIET }],
      sequence: [{ tool: "both", subcommand: "one" }, { tool: "both", subcommand: "two" }],
    },
    names: ["both", "both_one", "both_two"],
    says: [],
  },
  {
    what: "a part that is switched off",
    file: "off.json",
    content: {
      name: "off",
      command: "echo",
      subcommand: [{ name: "on", ...QUIET }, { name: "not", enabled: false, ...QUIET }],
    },
    names: ["off_on"],
    says: [],
  },
  {
    what: "types of another language",
    file: "types.json",
    content: { name: "types", command: "echo", ...QUIET, options: [{ name: "x", type: "bool" }] },
    names: [],
    says: [
      'error: "type" is "bool", expected one of "string", "boolean", "integer", "number", "array"; did you mean ' +
      '"boolean"? (/options/0/type)',
    ],
  },
];

for (const { what, file, content, names, says } of EXAMPLES) {
  Deno.test(`T2 T4 compatibility: ${what}`, async () => {
    const { leaves, diagnostics } = await loadCatalogFromTexts([{ file, text: JSON.stringify(content) }]);
    assert.deepStrictEqual(leaves.map((leaf) => leaf.name), names);
    const said = diagnostics.map((problem) => describeDiagnostic({ ...problem, file: "", line: 0 }).slice(2));
    assert.deepStrictEqual(said.toSorted(), says.toSorted());
  });
}

Deno.test("T4 T5 compatibility: all of them in one directory, called in the older form too", async () => {
  using bench = new Workbench();
  for (const { file, content } of EXAMPLES) bench.write(`tools/${file}`, JSON.stringify(content));
  await using server = await ServerProcess.start(bench, { flags: ["--tools-dir", `${bench.scope}/tools`] });
  const said = async (name: string, args: object) => (await server.call(name, args)).output;
  assert.strictEqual(await said("lint", { subcommand: "default" }), "lint\n");
  assert.strictEqual(await said("both", { subcommand: "two" }), "two\n");
  assert.strictEqual(await said("files", { subcommand: "echo", args: ["a b"] }), "a b\n");
  assert.strictEqual(await said("shell", { args: ['echo "$0 $1"', "a", "b c"] }), "a b c\n");
  assert.strictEqual(await said("meta", { working_directory: ".", timeout_seconds: 5 }), "\n");
  assert.strictEqual(await said("joined_pr_create", {}), "pr_create\n");
});
