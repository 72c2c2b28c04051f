/**
 * A shipped tool file, each leaf called through the server with the real program behind it: the file, the schema, the
 * argv and the sandbox at once. A leaf without a row fails, so none is shipped untried.
 */
import assert from "node:assert/strict";
import { loadCatalogFromTexts } from "../../src/catalog/load/load.ts";
import { programStart } from "../_support/program.ts";
import { ServerProcess, type StartOptions } from "../_support/server_process.ts";
import { sharing } from "../_support/sharing.ts";
import type { Workbench } from "../_support/workbench.ts";
import { GROUPS } from "./groups.ts";
import type { Row } from "./row.ts";

/** The rows of a shipped file, and what they need. */
export interface Trial {
  readonly rows: readonly Row[];
  /** Must be on the PATH; absent: nothing special. */
  readonly program?: string;
  /** Why the program, which a registry has, is not to be had. */
  readonly problem?: string | undefined;
  /** How a person starts a server for it. What it makes for that goes into `used`, which ends it. */
  readonly start?: (bench: Workbench, used: AsyncDisposableStack) => TrialStart | Promise<TrialStart>;
  /** A shell line that makes, in the directory of the file, what the setups of several rows copy. */
  readonly prepared?: string;
}

/** What is added to the start of a server. */
export interface TrialStart extends Pick<StartOptions, "flags" | "environment" | "prefix"> {
  /** Directories of programs that are found first. */
  readonly programs?: readonly string[];
}

/** The name is that of the shipped file, without its ending. */
interface Named extends Trial {
  readonly name: string;
}

/** Nothing may reach a real daemon from here, and programs in Go end before collecting what they no longer use pays. */
const VARIABLES = { DOCKER_HOST: "unix:///nowhere/docker.sock", GOGC: "off" };

/** The tests of a group's files; ignored, with the reason in the name, where a program is not there. In CI that fails. */
export async function tryGroup(group: keyof typeof GROUPS): Promise<void> {
  const named = await Promise.all(GROUPS[group].map(async (name): Promise<Named> => {
    const { TRIAL: trial }: { readonly TRIAL: Trial } = await import(`./${name}.ts`);
    const missing = trial.program !== undefined && !await succeeds(`command -v ${trial.program}`);
    return { name, ...trial, problem: missing ? `${trial.program} is not installed` : trial.problem };
  }));
  const problem = named.find((trial) => trial.problem !== undefined)?.problem;
  if (problem !== undefined && Deno.env.get("CI") !== undefined) throw new Error(problem);
  const test = sharing((bench) => serve(bench, named.filter((trial) => trial.problem === undefined)));
  for (const trial of named) {
    const reason = trial.problem === undefined ? "" : ` (ignored: ${trial.problem})`;
    test(
      `T5 T15 each leaf of tools/${trial.name}.json works with the real program${reason}`,
      ({ bench, server: { server } }, t) => tryFile(t, { bench, server, trial }),
      { ignore: trial.problem !== undefined },
    );
  }
}

/** A server with all these files, and what it was started with. */
interface Serving extends AsyncDisposable {
  readonly server: ServerProcess;
}

async function serve(bench: Workbench, trials: readonly Named[]): Promise<Serving> {
  for (const { name } of trials) bench.write(`tools/${name}.json`, await textOf(name));
  // What the availability check of gradlew.json looks for.
  await Deno.chmod(bench.write("gradlew", "#!/bin/sh\n"), 0o755);
  await using used = new AsyncDisposableStack();
  const starts: TrialStart[] = [];
  for (const { start } of trials) starts.push(await start?.(bench, used) ?? {});
  const path = [...starts.flatMap(({ programs = [] }) => programs), Deno.env.get("PATH") ?? ""].join(":");
  const server = used.use(
    await ServerProcess.start(bench, {
      flags: [
        "--tools-dir",
        `${bench.scope}/tools`,
        "--env",
        "DOCKER_HOST",
        "--env",
        "GOGC",
        ...starts.flatMap(({ flags = [] }) => flags),
      ],
      environment: Object.assign({ PATH: path, ...VARIABLES }, ...starts.map(({ environment }) => environment)),
      prefix: starts.flatMap(({ prefix = [] }) => prefix),
    }),
  );
  const moved = used.move();
  return { server, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

async function textOf(name: string): Promise<string> {
  return await Deno.readTextFile(new URL(`../../tools/${name}.json`, import.meta.url));
}

/** A file to try, and where. */
interface Tried {
  readonly bench: Workbench;
  readonly server: ServerProcess;
  readonly trial: Named;
}

async function tryFile(t: Deno.TestContext, { bench, server, trial: { name, rows, prepared } }: Tried): Promise<void> {
  await t.step("each leaf has a row, and each row a leaf", async () => {
    const { leaves, diagnostics } = await loadCatalogFromTexts([{ file: `${name}.json`, text: await textOf(name) }]);
    assert.deepStrictEqual(diagnostics, []);
    const names = leaves.map((leaf) => leaf.name).toSorted();
    assert.deepStrictEqual([...new Set(rows.map(({ tool }) => tool))].toSorted(), names);
  });
  const missing = await failing(rows.flatMap(({ needs }) => needs ?? []), programStart(bench, []).environment);
  const placed = rows.map((row, index) => ({ row, directory: `rows/${name}/${row.directory ?? `row-${index}`}` }));
  const tried = placed.filter(({ row }) => row.needs === undefined || !missing.has(row.needs));
  await t.step("everything is made ready", async () => {
    for (const { directory } of placed) bench.write(`${directory}/.keep`, "");
    if (prepared !== undefined) await runLines(server, [{ directory: `rows/${name}`, line: prepared }]);
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
