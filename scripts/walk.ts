/**
 * Prints the files that a call goes through, in order. A station is a function that does something with the call, such
 * as checking its arguments. A file counts if it has a function among the callers of a station, across `await` too.
 * docs/design.md lists the result.
 */
import { Agent } from "./client/agent.ts";
import { HttpServer } from "./client/http_server.ts";
import { packTraced } from "./walk/traced_program.ts";

interface Journey {
  readonly title: string;
  readonly args: readonly string[];
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
  /** Beginnings of `file:function`. */
  readonly stations: readonly string[];
}

const OPERATION = ["operation/output/output.ts:write", "operation/operation_record.ts:apply"];
const WRITTEN = "system/direct_output.ts:writeNow";
const CHECKED = "wire/json_rpc_message.ts:wireMessageOf";
/** Functions that read all input: their own callers belong to the start. */
const LOOPS: readonly string[] = [
  "service/connection/stdio_transport.ts:readAll",
  "child_server/child_server.ts:readAll",
  "process/supervision.ts:drain",
  "toolbox/worker/serve.ts:serveCalls",
  "http/listener.ts:server",
];
const ISOLATED = "--session-isolation";

const JOURNEYS: readonly Journey[] = [
  {
    title: "A call of sandboxed_shell",
    args: [],
    tool: "sandboxed_shell",
    given: { command: "echo hi" },
    stations: [
      CHECKED,
      "service/builtin_parameters.ts:checkBuiltinArguments",
      "process/linux/protection/protected_state.ts:begin",
      "process/linux/readiness/readiness.ts:readyPolicy",
      "process/linux/serving/serving_pool.ts:acquire",
      "process/linux/serving/serving_sandbox.ts:run",
      "process/linux/serving/serving_sandbox.ts:take",
      "sandbox/denials/explain.ts:explainDenials",
      ...OPERATION,
      "operation/output/text_view.ts:viewOutput",
      WRITTEN,
    ],
  },
  {
    title: "A call of files_edit",
    args: ["--bundles", "files"],
    tool: "files_edit",
    given: { path: "a.txt", old_string: "e", new_string: "en", replace_all: true },
    stations: [
      CHECKED,
      "toolbox/definition/parameters.ts:checkArguments",
      "toolbox/frame/frames.ts:encodeFrame",
      "toolbox/project/project.ts:resolve",
      "toolbox/writing/target.ts:openTarget",
      "toolbox/edit/match_ladder.ts:findText",
      "toolbox/edit/unified_diff.ts",
      "system/open_files/file_calls.ts:replace",
      ...OPERATION,
      "service/result/result_text.ts:finalResult",
      WRITTEN,
    ],
  },
  {
    title: "A call of a tool of another server",
    args: ["--mcp-config", "servers.json"],
    tool: "other_hi",
    given: {},
    stations: [
      CHECKED,
      "upstream/server/server_set.ts",
      "child_server/pending_calls.ts:add",
      "child_server/output_reader.ts:add",
      "child_server/output_reader.ts:take",
      ...OPERATION,
      WRITTEN,
    ],
  },
  {
    title: "A call over HTTP with isolation, up to its own process and back",
    args: ["--mode", "http", "--http-port", "0", ISOLATED],
    tool: "sandboxed_shell",
    given: { command: "echo hi" },
    stations: [
      "http/request_guard.ts",
      "http/accept_header.ts",
      CHECKED,
      "bridge/session/session_store.ts",
      "bridge/isolated/scope_negotiation.ts",
      "bridge/streams/open_requests.ts",
      "app/http/http_isolation.ts",
      "child_server/pending_calls.ts:add",
      "child_server/output_reader.ts:add",
      "child_server/output_reader.ts:take",
      "bridge/streams/event_log.ts:add",
      "http/event_stream.ts",
    ],
  },
];

/** A server with one tool. */
const OTHER = `
import json, sys
TOOL = {"name": "hi", "description": "Says hi", "inputSchema": {"type": "object"}}
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message: continue
    method = message["method"]
    result = {}
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "o", "version": "1"}}
    if method == "tools/list": result = {"tools": [TOOL]}
    if method == "tools/call": result = {"content": [{"type": "text", "text": "hi"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
`;

const place = await Deno.realPath(await Deno.makeTempDir());
try {
  const scope = `${place}/scope`;
  const notes = `${scope}/notes`;
  await Deno.mkdir(notes, { recursive: true });
  await Deno.mkdir(`${place}/home`);
  await Deno.writeTextFile(`${scope}/a.txt`, "one\n");
  await Deno.writeTextFile(`${scope}/other.py`, OTHER);
  const servers = { mcpServers: { other: { command: "python3", args: [`${scope}/other.py`] } } };
  await Deno.writeTextFile(`${scope}/servers.json`, JSON.stringify(servers));
  const program = await packTraced(`${place}/program`, notes);
  for (const journey of JOURNEYS) {
    const files = await walked(journey, { program, place });
    const text = `${journey.title}: ${files.length} files\n${files.map((file) => `  ${file}\n`).join("")}`;
    Deno.stdout.writeSync(new TextEncoder().encode(text));
  }
} finally {
  await Deno.remove(place, { recursive: true });
}

async function walked(
  { args, tool, given, stations }: Journey,
  { program, place }: { readonly program: string; readonly place: string },
): Promise<readonly string[]> {
  const directory = `${place}/scope`;
  const environment = { HOME: `${place}/home`, PATH: Deno.env.get("PATH") ?? "" };
  const line = {
    command: Deno.execPath(),
    args: ["run", "--allow-all", "--no-config", program, ...args],
    directory,
    environment,
  };
  await using stack = new AsyncDisposableStack();
  const overHttp = async () => {
    return Agent.http(await stack.use(new HttpServer(line)).address, { name: "walk", root: directory });
  };
  const agent = stack.use(args.includes(ISOLATED) ? await overHttp() : Agent.stdio(line));
  await agent.connect();
  // Later calls find everything started.
  for (let times = 0; times < 10; times++) await agent.call(tool, given);
  const notes = `${directory}/notes`;
  await Deno.writeTextFile(`${notes}/on`, "");
  await agent.call(tool, given);
  await Deno.remove(`${notes}/on`);
  const calls: string[][] = [];
  for (const path of await inOrder(notes)) {
    const text = await Deno.readTextFile(path);
    calls.push(...text.trimEnd().split("\n").map((names) => names.split("<")));
    await Deno.remove(path);
  }
  return filesOf(calls, stations);
}

/** The files of processes, the server's first. */
async function inOrder(notes: string): Promise<readonly string[]> {
  const paths = (await Array.fromAsync(Deno.readDir(notes))).map(({ name }) => `${notes}/${name}`);
  const born = new Map(paths.map((path) => [path, Number(Deno.statSync(path).birthtime)]));
  return paths.sort((one, other) => (born.get(one) ?? 0) - (born.get(other) ?? 0));
}

/** `calls`: each with its callers after it. */
function filesOf(calls: readonly (readonly string[])[], stations: readonly string[]): readonly string[] {
  const ways = calls.flatMap((call) => {
    const loop = call.findIndex((name) => LOOPS.includes(name));
    return loop === -1 ? [] : [call.slice(0, loop + 1)];
  });
  const files = stations.flatMap((station) => {
    const isIt = ([name]: readonly string[]) => name?.startsWith(station);
    // The answer is written last, after what is announced.
    const way = station === stations.at(-1) ? ways.findLast(isIt) : ways.find(isIt);
    if (way === undefined) throw new Error(`No call came to station ${station}`);
    return way.map((name) => name.slice(0, name.indexOf(":"))).reverse();
  });
  return [...new Set(files)];
}
