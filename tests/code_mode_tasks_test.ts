/**
 * Tasks of many calls, each one call of a script: what comes out is what plain calls give, in results and files. All ten
 * are compared by scripts/bench/code_mode.ts; those here differ in how their calls depend on each other.
 */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { FILE_TASKS } from "./_support/scripts/file_tasks.ts";
import type { Turn } from "./_support/scripts/script_task.ts";
import { dataServers, SERVER_TASKS } from "./_support/scripts/server_tasks.ts";
import type { ServerProcess } from "./_support/server_process.ts";
import { withServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

const TRIED = /^(?:rename in|chain of|first failing|join of) /;

/** One turn of plain calls, all of which must succeed. */
function turnOf(server: ServerProcess): Turn {
  return async (...calls) =>
    await Promise.all(calls.map(async ([name, args]) => {
      const { text, isError } = await server.call(name, args);
      assert.ok(!isError, `${name}: ${text}`);
      return text;
    }));
}

/** The texts of all files below a directory. */
function contentsOf(directory: string): Readonly<Record<string, string>> {
  const entries = [...Deno.readDirSync(directory)].toSorted((one, other) => one.name < other.name ? -1 : 1);
  return Object.assign(
    {},
    ...entries.map(({ name, isDirectory }) =>
      isDirectory ? contentsOf(`${directory}/${name}`) : { [name]: Deno.readTextFileSync(`${directory}/${name}`) }
    ),
  );
}

Deno.test("K11 tasks of many calls are one script each, with the results and files of plain calls", async (t) => {
  using bench = new Workbench();
  const flags = ["--bundles", "files", "--code-mode", "all", "--sync"];
  await using server = await withServers(bench, dataServers((path, text) => bench.write(path, text)), { flags });
  const areKnown = async () => !(await server.call("find_tools", {})).text.includes("Not known yet");
  await until(areKnown, 20_000, "the tools of both servers");
  const tasks = [...FILE_TASKS, ...SERVER_TASKS].filter(({ name }) => TRIED.test(name));
  assert.strictEqual(tasks.length, 4);
  for (const [number, { name, files = {}, code, plain }] of tasks.entries()) {
    await t.step(name, async () => {
      const [one, other] = [`plain${number}`, `script${number}`];
      for (const [file, text] of Object.entries(files)) {
        for (const at of [one, other]) bench.write(`${at}/${file}`, text);
      }
      const wanted = JSON.stringify(await plain(one, turnOf(server))).replaceAll(one, other);
      const { text, isError } = await server.call("run_script", { code: code(other) });
      assert.ok(!isError, text);
      const [value = "", facts] = text.split("\n");
      assert.deepStrictEqual(JSON.parse(value), JSON.parse(wanted));
      assert.match(facts ?? "", /^\[script: \d+ calls?, /);
      if (Object.keys(files).length === 0) return;
      const [left, changed] = [one, other].map((at) => contentsOf(`${bench.scope}/${at}`));
      assert.deepStrictEqual(changed, left);
      assert.strictEqual(name.startsWith("rename"), JSON.stringify(changed).includes("newName"));
    });
  }
});
