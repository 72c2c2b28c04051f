import assert from "node:assert/strict";
import type { Catalog } from "./leaf.ts";
import { loadCatalogFromTexts } from "../load/load.ts";
import { resolveCall } from "./resolve.ts";

const CARGO = {
  name: "rust",
  command: "/usr/bin/cargo",
  subcommand: [
    { name: "default" },
    { name: "build" },
    { name: "pr_create" },
    { name: "nextest", subcommand: [{ name: "default" }, { name: "run" }] },
    { name: "odd", options: [{ name: "subcommand" }] },
  ],
};
const GH = { command: "gh", subcommand: [{ name: "pr", subcommand: [{ name: "list" }] }] };

async function catalog(): Promise<Catalog> {
  return await loadCatalogFromTexts(
    [CARGO, GH].map((file, index) => ({ file: `${index}.json`, text: JSON.stringify(file) })),
  );
}

const FOUND:
  readonly (readonly [string, Readonly<Record<string, unknown>>, string, Readonly<Record<string, unknown>>])[] = [
    ["rust_build", { release: true }, "rust_build", { release: true }],
    ["rust", { subcommand: "build", release: true }, "rust_build", { release: true }],
    ["rust", {}, "rust", {}],
    ["rust", { subcommand: "default" }, "rust", {}],
    ["rust", { subcommand: "nextest_run" }, "rust_nextest_run", {}],
    ["rust", { subcommand: " nextest  run " }, "rust_nextest_run", {}],
    ["rust", { subcommand: "nextest_default" }, "rust_nextest", {}],
    ["rust", { subcommand: "pr_create" }, "rust_pr_create", {}],
    ["rust_nextest", { subcommand: "run" }, "rust_nextest_run", {}],
    ["rust_build", { subcommand: "build" }, "rust_build", {}],
    ["rust_odd", { subcommand: "build" }, "rust_odd", { subcommand: "build" }],
    ["cargo_build", {}, "rust_build", {}],
    ["cargo", { subcommand: "nextest run" }, "rust_nextest_run", {}],
    ["gh_pr", { subcommand: "list" }, "gh_pr_list", {}],
  ];

for (const [name, args, leaf, rest] of FOUND) {
  Deno.test(`T5 resolveCall() finds ${name} ${JSON.stringify(args)}`, async () => {
    const resolved = resolveCall(await catalog(), name, args);
    assert.ok(resolved.ok);
    assert.deepStrictEqual([resolved.value.leaf.name, resolved.value.args], [leaf, rest]);
  });
}

Deno.test("T5 resolveCall() says what is meant by unknown names", async () => {
  const tools = await catalog();
  const problems = ([
    ["rust_biuld", {}],
    ["nothing", { subcommand: "build" }],
    ["rust", { subcommand: "buld" }],
    ["rust", { subcommand: 3 }],
    ["gh", {}],
    ["gh", { subcommand: "pr" }],
    ["rust_build", { subcommand: "run" }],
    ["__proto__", {}],
  ] as const).map(([name, args]) => {
    const resolved = resolveCall(tools, name, args);
    return resolved.ok ? resolved.value.leaf.name : [resolved.problem.kind, resolved.problem.message];
  });
  assert.deepStrictEqual(problems, [
    ["unknown_tool", 'Cannot call "rust_biuld": there is no such tool; did you mean "rust_build"?'],
    ["unknown_tool", 'Cannot call "nothing": there is no such tool'],
    [
      "unknown_subcommand",
      'Cannot call "rust": subcommand "buld" does not exist; did you mean "build"? expected one of default, build, ' +
      "pr_create, nextest, nextest_run, odd",
    ],
    ["unknown_subcommand", 'Cannot call "rust": "subcommand" is 3, expected a text'],
    ["unknown_subcommand", 'Cannot call "gh": "subcommand" is missing, expected one of pr_list'],
    [
      "unknown_subcommand",
      'Cannot call "gh": subcommand "pr" has several below it: expected one of pr_list',
    ],
    [
      "unknown_subcommand",
      'Cannot call "rust_build": there is no subcommand "run" below it: leave "subcommand" out, or call "rust" with it',
    ],
    ["unknown_tool", 'Cannot call "__proto__": there is no such tool'],
  ]);
});
