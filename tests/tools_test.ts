/**
 * Every leaf of the shipped tool files, called through the server with the real program behind it: the file, the
 * schema, the argv and the sandbox at once. A leaf without a row fails, so none is shipped untried.
 */
import assert from "node:assert/strict";
import { loadCatalogFromTexts } from "../src/catalog/load.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";
import { CARGO_ROWS } from "./tool_rows/cargo.ts";
import { DENO_ROWS } from "./tool_rows/deno.ts";
import { DOCKER_ROWS } from "./tool_rows/docker.ts";
import { FILE_ROWS } from "./tool_rows/file_tools.ts";
import { GH_ROWS } from "./tool_rows/gh.ts";
import { GIT_ROWS } from "./tool_rows/git.ts";
import { GRADLEW_ROWS } from "./tool_rows/gradlew.ts";
import { MAKE_ROWS } from "./tool_rows/make.ts";
import { NPM_ROWS } from "./tool_rows/npm.ts";
import { PYTHON_ROWS } from "./tool_rows/python.ts";
import { QUALITY_ROWS } from "./tool_rows/quality_check.ts";
import type { Row } from "./tool_rows/row.ts";

const TOOLS = new URL("../tools/", import.meta.url).pathname;

/** A shipped file, its rows and what they need. */
interface Shipped {
  readonly rows: readonly Row[];
  /** Must be on the PATH; undefined: nothing special. */
  readonly program?: string;
}

const FILES: Readonly<Record<string, Shipped>> = {
  "git.json": { rows: GIT_ROWS, program: "git" },
  "deno.json": { rows: DENO_ROWS, program: "deno" },
  "npm.json": { rows: NPM_ROWS, program: "npm" },
  "cargo.json": { rows: CARGO_ROWS, program: "cargo" },
  "python.json": { rows: PYTHON_ROWS, program: "python3" },
  "gh.json": { rows: GH_ROWS, program: "gh" },
  "gradlew.json": { rows: GRADLEW_ROWS },
  "docker.json": { rows: DOCKER_ROWS, program: "docker" },
  "make.json": { rows: MAKE_ROWS, program: "make" },
  "file-tools.json": { rows: FILE_ROWS },
  "quality_check.json": { rows: QUALITY_ROWS },
};

/** Nothing may reach a real daemon from here. */
const NO_DAEMON = { DOCKER_HOST: "unix:///nowhere/docker.sock" };

async function succeeds(command: string): Promise<boolean> {
  const { success } = await new Deno.Command("sh", { args: ["-c", command], stdout: "null", stderr: "null" }).output();
  return success;
}

/** The MCP names of a shipped file. */
async function namesIn(file: string): Promise<readonly string[]> {
  const { leaves, problems } = await loadCatalogFromTexts([{ file, text: await Deno.readTextFile(TOOLS + file) }]);
  assert.deepStrictEqual(problems, []);
  return leaves.map((leaf) => leaf.name);
}

async function tried(server: ServerProcess, row: Row, directory: string): Promise<void> {
  const shell = (command: string) => server.shell(command, { working_directory: directory });
  if (row.setup !== undefined) {
    const ready = await shell(`set -e; ${row.setup}`);
    assert.ok(!ready.failed, `the setup: ${ready.text}`);
  }
  const answer = await server.call(row.tool, {
    ...row.args,
    working_directory: directory,
    execution_mode: "Synchronous",
  }, { deadline: 60_000 });
  assert.equal(answer.failed, row.fails === true, answer.text);
  if (row.expected !== undefined) assert.match(answer.text, row.expected);
  if (row.effect !== undefined) {
    const effect = await shell(row.effect);
    assert.ok(!effect.failed, `the effect: ${effect.text}`);
  }
}

for (const [file, { rows, program }] of Object.entries(FILES)) {
  const ignore = program !== undefined && !await succeeds(`command -v ${program}`);
  const reason = ignore ? ` (ignored: ${program} is not installed)` : "";
  Deno.test({
    name: `T5 T15 each leaf of tools/${file} works with the real program${reason}`,
    ignore,
    fn: async (t) => {
      using bench = new Workbench();
      bench.write(`tools/${file}`, await Deno.readTextFile(TOOLS + file));
      // What the availability check of gradlew.json looks for.
      await Deno.chmod(bench.write("gradlew", "#!/bin/sh\n"), 0o755);
      await using server = await ServerProcess.start(bench, {
        flags: ["--tools-dir", `${bench.scope}/tools`, "--env", "DOCKER_HOST"],
        environment: NO_DAEMON,
      });
      await t.step("each leaf has a row, and each row a leaf", async () => {
        assert.deepStrictEqual([...new Set(rows.map(({ tool }) => tool))].toSorted(), (await namesIn(file)).toSorted());
      });
      for (const [index, row] of rows.entries()) {
        const missing = row.needs !== undefined && !await succeeds(row.needs);
        await t.step({
          name: `${row.tool} ${JSON.stringify(row.args ?? {})}${missing ? ` (ignored: "${row.needs}" fails)` : ""}`,
          ignore: missing,
          fn: async () => {
            const directory = `row-${index}`;
            bench.write(`${directory}/.keep`, "");
            await tried(server, row, directory);
          },
        });
      }
    },
  });
}

Deno.test("T15 every shipped tool file is tried here", () => {
  const shipped = Array.from(Deno.readDirSync(TOOLS), ({ name }) => name).filter((name) => name.endsWith(".json"));
  assert.deepStrictEqual(Object.keys(FILES).toSorted(), shipped.toSorted());
});

Deno.test("T15 --bundles all offers every shipped file from inside the program, and a local file of the same name wins", async () => {
  using bench = new Workbench();
  const own = { name: "git", command: "echo", description: "Mine", synchronous: true, subcommand: [] };
  bench.write("tools/git.json", JSON.stringify(own));
  await using server = await ServerProcess.start(bench, {
    flags: ["--tools-dir", `${bench.scope}/tools`, "--bundles", "all"],
  });
  const { result } = await server.request("tools/list");
  // The wire format of tools/list.
  const names = (result?.tools as readonly { readonly name: string }[]).map(({ name }) => name);
  assert.deepStrictEqual(names.filter((name) => name.startsWith("git")), ["git"]);
  for (const name of ["deno_test", "npm_run", "file-tools_ls", "quality_check"]) assert.ok(names.includes(name), name);
  assert.match((await server.call("git", { args: ["from here"] })).text, /^from here$/m);
});
