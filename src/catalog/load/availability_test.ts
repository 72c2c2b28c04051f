import assert from "node:assert/strict";
import { failure, success } from "../../base/outcome.ts";
import { askProbes, probeKey, withoutUnavailable } from "./availability.ts";
import { loadCatalogFromTexts } from "./load.ts";
import type { Probe } from "../model/leaf.ts";

async function catalogOfTool(tool: unknown, ...more: readonly unknown[]) {
  const texts = [tool, ...more].map((one, i) => ({ file: `${i}.json`, text: JSON.stringify(one) }));
  return await loadCatalogFromTexts(texts);
}

async function probesOf(tool: unknown): Promise<readonly (Probe | undefined)[]> {
  return (await catalogOfTool(tool)).leaves.map(({ probe }) => probe);
}

const leaf = { description: "Does it", synchronous: true };

Deno.test("T11 a leaf is probed by the check nearest to it, else by its program", async () => {
  const check = { command: "cargo", args: ["--version"] };
  assert.deepStrictEqual(await probesOf({ name: "x", command: "cargo +nightly", ...leaf }), [
    { kind: "program", program: "cargo" },
  ]);
  assert.deepStrictEqual(await probesOf({ name: "x", command: "./gradlew", ...leaf }), [undefined]);
  const nested = {
    name: "c",
    command: "cargo",
    availability_check: check,
    subcommand: [
      { ...leaf, name: "build" },
      { ...leaf, name: "nextest", availability_check: { args: ["--version"], success_exit_codes: [0, 1] } },
      { ...leaf, name: "lint", availability_check: { command: "which cargo-lint", skip_subcommand_args: true } },
    ],
  };
  assert.deepStrictEqual(await probesOf(nested), [
    { kind: "command", argv: ["cargo", "--version"], successExitCodes: [0] },
    { kind: "command", argv: ["cargo", "nextest", "--version"], successExitCodes: [0, 1] },
    { kind: "command", argv: ["which", "cargo-lint"], successExitCodes: [0] },
  ]);
});

Deno.test("T11 askProbes() asks each question once, keeps good answers and drops those that no tool needs", async () => {
  const catalog = await catalogOfTool({ name: "a", command: "git", ...leaf }, { name: "b", command: "git", ...leaf }, {
    name: "c",
    command: "npm",
    ...leaf,
  });
  const asked: string[] = [];
  const ask = (probe: Probe) => {
    asked.push(probeKey(probe));
    return Promise.resolve(success(undefined));
  };
  const known = new Map([[probeKey({ kind: "program", program: "npm" }), success(undefined)], [
    "old",
    success(undefined),
  ]]);
  const answers = await askProbes(catalog, { ask, known, commands: true, signal: new AbortController().signal });
  assert.deepStrictEqual(asked, [probeKey({ kind: "program", program: "git" })]);
  assert.deepStrictEqual([...answers.keys()].sort(), [
    probeKey({ kind: "program", program: "git" }),
    probeKey({ kind: "program", program: "npm" }),
  ]);
});

Deno.test("T11 T14 withoutUnavailable() takes sequences out with the steps they need", async () => {
  const steps = (tool: string) => [{ tool, description: "step" }];
  const catalog = await catalogOfTool(
    { name: "base", command: "nope", install_instructions: "Install nope", ...leaf },
    { name: "outer", command: "sequence", sequence: steps("inner"), ...leaf },
    { name: "inner", command: "sequence", sequence: steps("base"), ...leaf },
    { name: "other", command: "echo", ...leaf },
  );
  assert.deepStrictEqual(catalog.diagnostics, []);
  const answers = new Map([[probeKey({ kind: "program", program: "nope" }), failure("it is not there")]]);
  const left = withoutUnavailable(catalog, answers);
  assert.deepStrictEqual(left.leaves.map(({ name }) => name), ["other"]);
  assert.deepStrictEqual(left.unavailable, [
    { names: ["base"], reason: "it is not there", installInstructions: "Install nope" },
    { names: ["outer"], reason: 'its step "inner" is not available', installInstructions: "" },
    { names: ["inner"], reason: 'its step "base" is not available', installInstructions: "" },
  ]);
});

Deno.test("T11 askProbes() stops asking when it is told to, and keeps no answer from then on", async () => {
  const catalog = await catalogOfTool({ name: "a", command: "git", ...leaf }, { name: "b", command: "npm", ...leaf });
  const abort = new AbortController();
  const asked: string[] = [];
  const ask = (probe: Probe) => {
    asked.push(probeKey(probe));
    abort.abort();
    return Promise.resolve(failure("ended"));
  };
  const answers = await askProbes(catalog, { ask, known: new Map(), commands: true, signal: abort.signal });
  assert.deepStrictEqual([asked.length, answers.size], [1, 0]);
});
