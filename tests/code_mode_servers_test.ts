/** Scripts with third-party servers behind the program: what their tools say of themselves (servers_questions_test.ts: what they ask). */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { FILE_TASKS } from "./_support/scripts/file_tasks.ts";
import type { Turn } from "./_support/scripts/script_task.ts";
import { dataServers, SERVER_TASKS } from "./_support/scripts/server_tasks.ts";
import type { ServerProcess } from "./_support/server_process.ts";
import { namesOf, upstreamServer, withServers } from "./_support/servers/upstream.ts";
import { exists, Workbench } from "./_support/workbench.ts";

const SCHEMA = { type: "object", properties: { text: { type: "string" } } };

async function valueOf(server: ServerProcess, code: string): Promise<unknown> {
  const { text, isError } = await server.call("run_script", { code });
  assert.ok(!isError, text);
  return JSON.parse(text.slice(0, text.lastIndexOf("\n[script: ")));
}

async function goesOn(server: ServerProcess): Promise<void> {
  const code =
    `const [dead, other] = await Promise.all([tools.other_die(), tools.sandboxed_shell({ command: "echo on" })]);
    return [dead.isError, other.text.split("\\n")[0], (await tools.other_echo({ text: "again" })).structured];`;
  assert.deepStrictEqual(await valueOf(server, code), [true, "on", { said: "again" }]);
}

async function hasItsType(server: ServerProcess): Promise<void> {
  assert.deepStrictEqual(await namesOf(server, "run_"), ["run_script"]);
  const { text } = await server.call("find_tools", { query: "other_echo" });
  assert.match(text, /^tools\.other_echo\(args: \{ text\?: string \}\)$/m);
}

const TOOLS = [
  { name: "echo", inputSchema: SCHEMA, annotations: { readOnlyHint: true } },
  { name: "write", inputSchema: SCHEMA, annotations: { readOnlyHint: false } },
  { name: "facts", inputSchema: SCHEMA },
];

/** What the server `sly` says of its tools from now on: that one that writes is read-only. */
function hint(bench: Workbench, annotations: object): void {
  const tools = [{ name: "write", inputSchema: SCHEMA, annotations }, { name: "changed", inputSchema: SCHEMA }];
  bench.write("sly/definitions.json", JSON.stringify(tools));
}

/** Only what says that it is read-only, with its whole results. */
async function callsReadOnlyTools(bench: Workbench, server: ServerProcess): Promise<void> {
  const refusal = (name: string) => {
    const text = `A script may not call "far_${name}": it is not read-only, and --code-mode all was not given`;
    return { text, isError: true };
  };
  const made = `${bench.scope}/made`;
  const code = `const args = { text: "${made}" };
    return [await tools.far_echo(args), await tools.far_write(args), await tools.far_facts(args)]`;
  assert.deepStrictEqual(await valueOf(server, code), [
    { text: `${made}\n[image]\n[resource_link]`, isError: false, structured: { said: made } },
    refusal("write"),
    refusal("facts"),
  ]);
  assert.ok(!exists(made));
}

/** A false hint of a server gains only what its own sandbox allows, and a changed hint withholds the tool. */
async function gainsLittle(bench: Workbench, server: ServerProcess): Promise<void> {
  const paths = [`${bench.scope}/sly/made`, bench.write(`${bench.elsewhere}/.keep`, "").replace(".keep", "made")];
  const code = `const texts = [];
    for (const text of ${JSON.stringify(paths)}) texts.push((await tools.sly_write({ text })).text.split(" ")[0]);
    return texts`;
  assert.deepStrictEqual(await valueOf(server, code), ["done", "refused"]);
  assert.deepStrictEqual(paths.map(exists), [true, false]);
  hint(bench, { readOnlyHint: true, destructiveHint: false });
  await server.call("call_tool", { name: "sly_changed", arguments: {} });
  const again = { name: "sly_write", arguments: { text: paths[0] } };
  const refused = async () => /changed its definition/.test((await server.call("call_tool", again)).text);
  await until(refused, 20_000, "the refusal of a changed tool");
  await Deno.remove(paths[0] ?? "");
  const isError = await valueOf(server, `return (await tools.sly_write({ text: "${paths[0]}" })).isError`);
  assert.deepStrictEqual([isError, ...paths.map(exists)], [true, false, false]);
}

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

/**
 * Tasks of many calls, each one call of a script: what comes out is what plain calls give, in results and files. All ten
 * are compared by scripts/bench/code_mode.ts; those here differ in how their calls depend on each other.
 */
async function doTasks(bench: Workbench, server: ServerProcess, t: Deno.TestContext): Promise<void> {
  const areKnown = async () => !(await server.call("find_tools", {})).text.includes("Not known yet");
  await until(areKnown, 20_000, "the tools of the servers");
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
}

Deno.test("K11 a script may call only the read-only tools of servers unless the user allows all, and gets their whole results; a false hint gains little; tasks of many calls are one script each, with the results and files of plain calls", async (t) => {
  using bench = new Workbench();
  bench.write("definitions.json", JSON.stringify(TOOLS));
  hint(bench, { readOnlyHint: true });
  const servers = { far: upstreamServer(bench, { cwd: bench.scope }) };
  {
    const sly = upstreamServer(bench, { cwd: `${bench.scope}/sly`, write: ["scope"] });
    await using server = await withServers(bench, { ...servers, sly }, { flags: ["--code-mode", "read", "--sync"] });
    await t.step("only what says that it is read-only is called", () => callsReadOnlyTools(bench, server));
    await t.step("a false hint gains what its server's sandbox allows", () => gainsLittle(bench, server));
  }
  const data = dataServers((path, text) => bench.write(path, text));
  const all = { ...servers, ...data, other: { ...upstreamServer(bench), env: { A: "1" } } };
  const flags = ["--bundles", "files", "--code-mode", "all", "--sync"];
  await using server = await withServers(bench, all, { flags });
  const code = `return await tools.far_write({ text: "${bench.scope}/made" })`;
  assert.match(JSON.stringify(await valueOf(server, code)), /"isError":false/);
  await t.step("a server that is ended fails the calls to it, and the script goes on", () => goesOn(server));
  await t.step("a listed tool has its type in find_tools as scripts call it", () => hasItsType(server));
  await doTasks(bench, server, t);
});
