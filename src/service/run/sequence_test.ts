import { strict as assert } from "node:assert";
import type { Leaf, LeafStep } from "../../catalog/model/leaf.ts";
import { catalogOf } from "../../catalog/model/snapshot.ts";
import { openScope } from "../../system/path_scope.ts";
import { connectClient, makeLeaf, makeService, PlayedRunner, textsOf } from "../_support/connection.ts";

function step(tool: string, rest: Partial<LeafStep> = {}): LeafStep {
  return { tool, subcommand: "", args: {}, description: "", ...rest };
}

function sequence(name: string, steps: readonly LeafStep[], rest: Partial<Leaf> = {}): Leaf {
  return makeLeaf(name, { argv: [], sequence: steps, synchronous: true, ...rest });
}

function linesOf(result: { readonly content?: unknown }): readonly string[] {
  return (textsOf(result)[0] ?? "").replaceAll(/, [\d.]+ m?s\b/g, "").replaceAll(/op_\w+/g, "ID").split("\n");
}

Deno.test("T14 a sequence runs its steps in order in the caller's directory as one operation, a line per step", async () => {
  const runner = new PlayedRunner((command) => {
    command.write(`${JSON.stringify(command.request.run)} in ${command.request.directory}\n`);
    command.exit(0);
  });
  const fix = makeLeaf("fmt", {
    options: [{ name: "check", type: "boolean", description: "", required: false }],
  });
  const check = sequence("check", [step("fmt", { args: { check: true } }), step("lint", { description: "style" })]);
  const service = makeService({ runner, catalog: catalogOf([fix, makeLeaf("lint"), check]) });
  await using connected = await connectClient(service);
  const result = await connected.client.callTool({ name: "check", arguments: { working_directory: "sub" } });
  assert.deepStrictEqual(linesOf(result), [
    "[step 1/2] fmt: fmt --check",
    '{"argv":["fmt","--check"]} in /scope/sub',
    "[step 1/2 completed]",
    "[step 2/2] lint (style): lint",
    '{"argv":["lint"]} in /scope/sub',
    "[step 2/2 completed]",
    "",
  ]);
  assert.strictEqual(service.registry.list().length, 1);
});

Deno.test("T14 a sequence stops at the first failure and takes its exit code", async () => {
  const runner = new PlayedRunner((command) => command.exit(runner.requests.length === 2 ? 5 : 0));
  const all = sequence("all", [step("a"), step("a"), step("a")]);
  await using connected = await connectClient(makeService({ runner, catalog: catalogOf([makeLeaf("a"), all]) }));
  const result = await connected.client.callTool({ name: "all" });
  assert.deepStrictEqual([linesOf(result).at(-1), runner.requests.length, result.isError], [
    "[exit code 5]",
    2,
    undefined,
  ]);
});

Deno.test("T14 X16 a step repeats the transient failures of the tool that it calls", async () => {
  const runner = new PlayedRunner((command) => command.exit(runner.requests.length === 1 ? 5 : 0));
  const retried = makeLeaf("a", { retry: { max: 1, backoff_ms: 1 } });
  const all = sequence("all", [step("a"), step("b")]);
  const catalog = catalogOf([retried, makeLeaf("b"), all]);
  await using connected = await connectClient(makeService({ runner, catalog }));
  const result = await connected.client.callTool({ name: "all" });
  assert.deepStrictEqual(linesOf(result).slice(0, -1), [
    "[step 1/2] a: a",
    "[exit code 5: try 1 of 2, the next in 1 ms]",
    "[step 1/2 completed]",
    "[step 2/2] b: b",
    "[step 2/2 completed]",
  ]);
});

Deno.test("T14 a cancel ends the running step and the rest", async () => {
  const runner = new PlayedRunner();
  const all = sequence("all", [step("a"), step("a")], { synchronous: false, stepDelayMs: 60_000 });
  const service = makeService({ runner, catalog: catalogOf([makeLeaf("a"), all]) });
  await using connected = await connectClient(service);
  await connected.client.callTool({ name: "all" });
  (await runner.next()).exit(0);
  const [operation] = service.registry.list();
  await service.registry.cancel(operation?.id ?? "", "enough");
  assert.deepStrictEqual([operation?.end?.state, operation?.end?.message, runner.requests.length], [
    "cancelled",
    "enough",
    1,
  ]);
});

Deno.test("T14 a step is skipped when its file exists or is missing, and says why; outside the scope nothing exists", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/there`, "");
    const runner = new PlayedRunner((command) => command.exit(0));
    const all = sequence("all", [
      step("a", { skip_if_file_exists: "there" }),
      step("a", { skip_if_file_missing: "gone" }),
      step("a", { skip_if_file_missing: "there" }),
      step("a", { skip_if_file_exists: "/etc/passwd" }),
    ]);
    const scope = await openScope([directory]);
    const service = makeService({ runner, catalog: catalogOf([makeLeaf("a"), all]), rest: { scope } });
    await using connected = await connectClient(service);
    assert.deepStrictEqual(linesOf(await connected.client.callTool({ name: "all" })).slice(0, -1), [
      '[step 1/4 skipped: "there" exists] a: a',
      '[step 2/4 skipped: "gone" is missing] a: a',
      "[step 3/4] a: a",
      "[step 3/4 completed]",
      "[step 4/4] a: a",
      "[step 4/4 completed]",
    ]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("T14 a shell line is a step like any other, and a step may name its own directory", async () => {
  const runner = new PlayedRunner((command) => command.exit(0));
  const shell = (args: LeafStep["args"]) => step("sandboxed_shell", { subcommand: "default", args });
  const all = sequence("all", [
    shell({ command: "echo a | cat", env: { A: "1" } }),
    shell({ command: "ls", working_directory: "other", stdin: "text" }),
    step("a", { args: { working_directory: "third" } }),
  ]);
  const service = makeService({ runner, catalog: catalogOf([makeLeaf("a"), all]) });
  await using connected = await connectClient(service);
  const result = await connected.client.callTool({ name: "all", arguments: { working_directory: "sub" } });
  assert.deepStrictEqual(linesOf(result).slice(0, 2), [
    "[step 1/3] sandboxed_shell: echo a | cat",
    "[step 1/3 completed]",
  ]);
  const operation = { id: service.registry.list()[0]?.id ?? "", tool: "all" };
  assert.deepStrictEqual(runner.requests, [
    { run: { shell: "echo a | cat" }, directory: "/scope/sub", environment: { A: "1" }, stdin: undefined, operation },
    { run: { shell: "ls" }, directory: "/scope/other", environment: {}, stdin: "text", operation },
    { run: { argv: ["a"] }, directory: "/scope/third", environment: {}, stdin: undefined, operation },
  ]);
});

Deno.test("T14 a step that is reached on many ways is made once", async () => {
  let asked = 0;
  const scope = await openScope([await Deno.realPath(".")]);
  const counted = {
    ...scope,
    resolveDirectory: (path: string | undefined) => {
      asked++;
      return scope.resolveDirectory(path);
    },
  };
  // Seven levels of eight calls: two million ways.
  const here = { args: { working_directory: "." } };
  const names = ["l0", "l1", "l2", "l3", "l4", "l5", "l6"];
  const leaves = names.map((name, at) =>
    sequence(name, Array.from({ length: 8 }, () => step(names[at + 1] ?? "a", here)))
  );
  const runner = new PlayedRunner((command) => command.exit(7));
  const service = makeService({ runner, catalog: catalogOf([makeLeaf("a"), ...leaves]), rest: { scope: counted } });
  await using connected = await connectClient(service);
  const result = await connected.client.callTool({ name: "l0" });
  assert.deepStrictEqual([linesOf(result).at(-1), runner.requests.length], ["[exit code 7]", 1]);
  assert.equal(asked, 1 + 7 * 8);
});

Deno.test("T14 a sequence with a wrong step runs nothing and says which step", async () => {
  const runner = new PlayedRunner();
  const catalog = catalogOf([
    makeLeaf("a"),
    sequence("missing", [step("a"), step("b")]),
    sequence("wrong", [step("a", { args: { nope: 1 } })]),
    sequence("misspelt", [step("sandboxed_shell", { subcommand: "default", args: { comand: "ls" } })]),
    sequence("endless", [step("endless")]),
  ]);
  await using connected = await connectClient(makeService({ runner, catalog }));
  const expected = {
    missing: /^Cannot run "missing": step 2: .*"b"/,
    wrong: /^Cannot run "wrong": step 1: .*nope/,
    misspelt: /^Cannot run "misspelt": step 1: .*"comand" does not exist; did you mean "command"/,
    endless: /sequences are nested more than 8 deep/,
  };
  for (const [name, message] of Object.entries(expected)) {
    const result = await connected.client.callTool({ name });
    assert.match(textsOf(result)[0] ?? "", message);
    assert.ok(result.isError);
  }
  assert.deepStrictEqual(runner.requests, []);
});
