/** The release workflow and what else names versions: read as their tools read them. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import pins from "../scripts/executable/runtime_pins.json" with { type: "json" };
import { VERSION } from "../src/base/version.ts";
import { ROOT } from "./_support/repository.ts";

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const TEXT = await Deno.readTextFile(new URL(".github/workflows/release.yml", ROOT));
const WORKFLOW: Workflow = parse(TEXT);
const JOBS = Object.entries(WORKFLOW.jobs);
const STEPS = JOBS.flatMap(([, { steps }]) => steps);

Deno.test("D4 each action of the release workflow is pinned by its commit, with its version beside it", () => {
  const lines = TEXT.split("\n").filter((line) => line.includes("uses:"));
  assert.ok(lines.length > 5);
  const pinned = /^ +- uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
  assert.deepStrictEqual(lines.filter((line) => !pinned.test(line)), []);
  const commits = new Map<string, Set<string>>();
  for (const [name = "", commit = ""] of STEPS.flatMap(({ uses }) => uses === undefined ? [] : [uses.split("@")])) {
    commits.set(name, (commits.get(name) ?? new Set()).add(commit));
  }
  assert.deepStrictEqual([...commits].filter(([, found]) => found.size !== 1), [], "one commit for each action");
});

Deno.test("D4 each job of the release workflow has the permissions that it needs, and one may write", () => {
  assert.deepStrictEqual(WORKFLOW.permissions, {});
  const read = { contents: "read" };
  assert.deepStrictEqual(Object.fromEntries(JOBS.map(([name, { permissions }]) => [name, permissions])), {
    gate: read,
    build: read,
    rebuild: read,
    smoke: read,
    attest: { attestations: "write", contents: "read", "id-token": "write" },
    publish: { contents: "write", "id-token": "write" },
    registry: { "id-token": "write" },
  });
});

Deno.test("D4 nothing is published before the gate, the rebuild and the systems themselves have agreed", () => {
  const before = (name: string): readonly string[] => {
    const needs = [WORKFLOW.jobs[name]?.needs ?? []].flat();
    return [...needs, ...needs.flatMap(before)];
  };
  assert.deepStrictEqual([...new Set(before("publish"))].toSorted(), ["attest", "build", "gate", "rebuild", "smoke"]);
  const building = (name: string) => WORKFLOW.jobs[name]?.steps.some(({ run }) => run?.includes("task release"));
  assert.deepStrictEqual(JOBS.map(([name]) => name).filter(building), ["build", "rebuild"]);
});

Deno.test("D4 each script of the release workflow is one that bash reads, and puts no foreign text into it", async () => {
  for (const run of STEPS.flatMap((step) => step.run ?? [])) {
    const { stderr } = await new Deno.Command("bash", { args: ["-n", "-c", run] }).output();
    assert.strictEqual(new TextDecoder().decode(stderr), "", run);
    assert.doesNotMatch(run, /\$\{\{/, "values come by variables");
  }
});

Deno.test("D4 tasks that the release workflow names are there, and run the runtime that is pinned", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const named = [...TEXT.matchAll(/deno@(\S+) task (\S+)/g)].map(([, version, task]) => ({ version, task }));
  assert.ok(named.length > 0);
  assert.deepStrictEqual(named.filter(({ version, task = "" }) => version !== pins.version || !(task in tasks)), []);
});

Deno.test("D4 the version of the runtime is one, wherever it stands", async () => {
  const paths = [".ci/run", "README.md", "AGENTS.md", ".github/workflows/release.yml"];
  for (const path of paths) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    const versions = new Set([...text.matchAll(/deno@(\d+\.\d+\.\d+)/g)].map(([, version]) => version));
    assert.deepStrictEqual([...versions], [pins.version], path);
  }
});

Deno.test("D4 the version of the program stands in one file, from which the others are made", async () => {
  const { version } = JSON.parse(await Deno.readTextFile(new URL(".claude-plugin/plugin.json", ROOT)));
  assert.strictEqual(version, VERSION);
  const found = await new Deno.Command("git", {
    args: ["grep", "-lFw", VERSION, "--", "src", "scripts", "packaging", "deno.json", "main.ts", ":!*_test.ts"],
    cwd: ROOT,
  }).output();
  const files = new TextDecoder().decode(found.stdout).trim().split("\n");
  assert.deepStrictEqual(files, ["src/base/version.ts"]);
});
