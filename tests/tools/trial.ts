/**
 * A shipped tool file, each leaf called through the server with the real program behind it: the file, the schema, the
 * argv and the sandbox at once. A leaf without a row fails, so none is shipped untried.
 */
import assert from "node:assert/strict";
import { loadCatalogFromTexts } from "../../src/catalog/load/load.ts";
import { programStart } from "../_support/program.ts";
import { ServerProcess, type StartOptions } from "../_support/server_process.ts";
import { Workbench } from "../_support/workbench.ts";
import type { Row } from "./row.ts";

/** A shipped file and its rows. */
export interface Trial {
  /** Base name in tools/. */
  readonly file: string;
  readonly rows: readonly Row[];
  /** Must be on the PATH; absent: nothing special. */
  readonly program?: string;
  /** Why the program, which a registry has, is not to be had. */
  readonly problem?: string | undefined;
  /** How a person starts a server for it; flags are added. What it makes for that goes into `used`, which ends it. */
  readonly start?: (bench: Workbench, used: AsyncDisposableStack) => StartOptions | Promise<StartOptions>;
  /** A shell line that makes, in the scope, what the setups of several rows copy. */
  readonly prepared?: string;
}

/** Nothing may reach a real daemon from here. */
const NO_DAEMON = { DOCKER_HOST: "unix:///nowhere/docker.sock" };

/** The test of one file; ignored, with the reason in its name, where the program is not there. In CI that fails. */
export async function trialOf(trial: Trial): Promise<Deno.TestDefinition> {
  const missing = trial.program !== undefined && !await succeeds(`command -v ${trial.program}`);
  const problem = missing ? `${trial.program} is not installed` : trial.problem;
  if (problem !== undefined && Deno.env.get("CI") !== undefined) throw new Error(problem);
  return {
    name: `T5 T15 each leaf of tools/${trial.file} works with the real program${
      problem ? ` (ignored: ${problem})` : ""
    }`,
    ignore: problem !== undefined,
    fn: (t) => tryFile(t, trial),
  };
}

async function tryFile(t: Deno.TestContext, { file, rows, prepared, start }: Trial): Promise<void> {
  const text = await Deno.readTextFile(new URL(`../../tools/${file}`, import.meta.url));
  using bench = new Workbench();
  bench.write(`tools/${file}`, text);
  // What the availability check of gradlew.json looks for.
  await Deno.chmod(bench.write("gradlew", "#!/bin/sh\n"), 0o755);
  await using used = new AsyncDisposableStack();
  const { flags = [], environment, ...others } = await start?.(bench, used) ?? {};
  await using server = await ServerProcess.start(bench, {
    flags: ["--tools-dir", `${bench.scope}/tools`, "--env", "DOCKER_HOST", ...flags],
    environment: { ...NO_DAEMON, ...environment },
    ...others,
  });
  await t.step("each leaf has a row, and each row a leaf", async () => {
    const { leaves, diagnostics } = await loadCatalogFromTexts([{ file, text }]);
    assert.deepStrictEqual(diagnostics, []);
    const names = leaves.map(({ name }) => name).toSorted();
    assert.deepStrictEqual([...new Set(rows.map(({ tool }) => tool))].toSorted(), names);
  });
  const missing = await failing(rows.flatMap(({ needs }) => needs ?? []), programStart(bench, []).environment);
  const placed = rows.map((row, index) => ({ row, directory: row.directory ?? `row-${index}` }));
  const tried = placed.filter(({ row }) => row.needs === undefined || !missing.has(row.needs));
  await t.step("everything is made ready", async () => {
    for (const { directory } of placed) bench.write(`${directory}/.keep`, "");
    if (prepared !== undefined) await runLines(server, [{ directory: ".", line: prepared }]);
    await runLines(server, tried.map(({ row, directory }) => ({ directory, line: row.setup })));
  });
  for (const { row, directory } of placed) {
    const ignore = row.needs !== undefined && missing.has(row.needs);
    await t.step({
      name: `${row.tool} ${JSON.stringify(row.args ?? {})}${ignore ? ` (ignored: "${row.needs}" fails)` : ""}`,
      ignore,
      fn: () => tryRow(server, row, directory),
    });
  }
  await t.step("each row did what it says", async () => {
    const own = tried.filter(({ row }) => row.directory === undefined);
    await runLines(server, own.map(({ row, directory }) => ({ directory, line: row.effect })));
  });
}

async function tryRow(server: ServerProcess, row: Row, directory: string): Promise<void> {
  const args = { ...row.args, working_directory: directory, execution_mode: "Synchronous" };
  const answer = await server.call(row.tool, args, { deadline: 60_000 });
  if (row.fails !== "perhaps") assert.equal(answer.failed, row.fails === true, answer.text);
  if (row.expected !== undefined) assert.match(answer.text, row.expected);
  if (row.directory !== undefined) await runLines(server, [{ directory, line: row.effect }]);
}

/** Runs lines in one call, each in its directory; the first that fails is shown with what it wrote. */
async function runLines(
  server: ServerProcess,
  lines: readonly { readonly directory: string; readonly line: string | undefined }[],
): Promise<void> {
  const given = lines.filter(({ line }) => line !== undefined);
  if (given.length === 0) return;
  const each = given.map(({ directory, line }) =>
    `( set -e; cd ${directory}; ${line} ) > said 2>&1\n[ $? = 0 ] || { echo "${directory}:"; cat said; exit 1; }`
  );
  const answer = await server.call("sandboxed_shell", {
    command: each.join("\n"),
    execution_mode: "Synchronous",
  }, { deadline: 120_000 });
  assert.ok(!answer.failed, answer.text);
}

/** Those of the shell lines that fail outside the sandbox, with the variables of the server. */
async function failing(lines: readonly string[], env: Readonly<Record<string, string>>): Promise<ReadonlySet<string>> {
  const answers = await Promise.all(
    [...new Set(lines)].map(async (line) => await succeeds(line, { clearEnv: true, env }) ? [] : [line]),
  );
  return new Set(answers.flat());
}

async function succeeds(command: string, variables: Pick<Deno.CommandOptions, "clearEnv" | "env"> = {}) {
  const options: Deno.CommandOptions = { args: ["-c", command], stdout: "null", stderr: "null", ...variables };
  return (await new Deno.Command("sh", options).output()).success;
}
