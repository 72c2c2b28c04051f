/**
 * What a client sends and receives for ten tasks of many calls, as one script and as plain calls (K11): bytes of
 * JSON-RPC lines, and turns, where calls that need nothing of each other are one turn. The script runs with
 * `--code-mode all`, the calls without it. `--write` puts the table into docs/code_mode.md.
 *
 *   deno run -A scripts/bench/code_mode.ts [--write]
 */
import { FILE_TASKS } from "../../tests/_support/scripts/file_tasks.ts";
import type { ScriptTask, Turn } from "../../tests/_support/scripts/script_task.ts";
import { dataServers, SERVER_TASKS } from "../../tests/_support/scripts/server_tasks.ts";
import { Programs } from "./programs.ts";
import { StdioClient } from "./stdio_client.ts";

/** What follows in docs/code_mode.md is written by this program. */
const MARK = "<!-- deno run -A scripts/bench/code_mode.ts --write -->";

interface Cost {
  readonly sent: number;
  readonly received: number;
  readonly turns: number;
  readonly calls: number;
  readonly ms: number;
}

/** What `work` costs a client, which counts its turns. */
async function costOf(client: StdioClient, work: (turn: Turn) => Promise<unknown>): Promise<Cost & { value: unknown }> {
  const [sent, received, began] = [client.sent, client.received, performance.now()];
  let [turns, calls] = [0, 0];
  const turn: Turn = async (...made) => {
    turns++;
    calls += made.length;
    return await Promise.all(made.map(async ([name, args]) => (await client.call(name, args)).text));
  };
  const value = await work(turn);
  const ms = performance.now() - began;
  return { value, sent: client.sent - sent, received: client.received - received, turns, calls, ms };
}

/** A row of the table. @throws {Error} When script and calls come to different ends. */
async function measure(plain: StdioClient, scripts: StdioClient, task: ScriptTask, at: string): Promise<string> {
  const calls = await costOf(plain, (turn) => task.plain(`${at}/calls`, turn));
  const code = task.code(`${at}/script`);
  const script = await costOf(scripts, async (turn) => (await turn(["run_script", { code }]))[0]);
  const [value = ""] = String(script.value).replaceAll("/script", "/calls").split("\n");
  if (value !== JSON.stringify(calls.value)) throw new Error(`"${task.name}" gives ${value}, not ${calls.value}`);
  const cells = [calls, script].flatMap((one) => [one.sent, one.received, Math.round(one.ms)]);
  const ratio = (calls.sent + calls.received) / (script.sent + script.received);
  const words = [task.name, calls.calls, calls.turns, ...cells, `${ratio.toFixed(1)} x`];
  return `| ${words.join(" | ")} |`;
}

async function rows(programs: Programs): Promise<readonly string[]> {
  const servers = dataServers((path, text) => programs.write(`${programs.directory(".")}/${path}`, text));
  const flags = ["--mcp-config", programs.config("data", servers), "--bundles", "files"];
  await using plain = new StdioClient(programs.packed(...flags));
  await using scripts = new StdioClient(programs.packed(...flags, "--code-mode", "all", "--sync"));
  for (const client of [plain, scripts]) await client.initialize();
  const tools = [["people_count", {}], ["orders_page", { page: 0 }]] as const;
  for (const [name, args] of tools) {
    await plain.call(name, args);
    await scripts.call("call_tool", { name, arguments: args });
  }
  const made: string[] = [];
  for (const [number, task] of [...FILE_TASKS, ...SERVER_TASKS].entries()) {
    for (const [file, text] of Object.entries(task.files ?? {})) {
      for (const copy of ["calls", "script"]) {
        const path = `task${number}/${copy}/${file}`;
        const directory = programs.directory(path.slice(0, path.lastIndexOf("/")));
        programs.write(`${directory}/${path.slice(path.lastIndexOf("/") + 1)}`, text);
      }
    }
    made.push(await measure(plain, scripts, task, `task${number}`));
  }
  return made;
}

using programs = new Programs();
const heads = ["task", "calls", "turns", "sent", "received", "ms", "script: sent", "received", "ms", "bytes less"];
const table = [heads, heads.map((_, column) => column === 0 ? "---" : "---:")].map((row) => `| ${row.join(" | ")} |`);
const text = [...table, ...await rows(programs)].join("\n");
await Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
if (Deno.args.includes("--write")) {
  const page = new URL("../../docs/code_mode.md", import.meta.url);
  const [head = ""] = (await Deno.readTextFile(page)).split(MARK);
  await Deno.writeTextFile(page, `${head}${MARK}\n\n${text}\n`);
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", page.pathname] }).output();
}
