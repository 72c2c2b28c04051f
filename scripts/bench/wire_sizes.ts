/**
 * How many bytes ten typical answers have on the wire (X4), until the client has the result: lines of JSON-RPC, line
 * breaks included. Two programs can be compared:
 *
 *   deno run -A scripts/bench/wire_sizes.ts dist/ahma_mcp [OTHER_PROGRAM]
 */
import { readLines } from "../../tests/_support/line_reader.ts";

interface Answer {
  readonly id?: number;
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
}

/** What a case cost. */
interface Size {
  readonly calls: number;
  readonly bytes: number;
}

type Call = (name: string, args: object) => Promise<string>;
type Case = readonly [name: string, play: (call: Call, size: () => Size) => Promise<Size>];

const BACKGROUND = "AsyncResultPush";

/** The id of a started operation; undefined: the answer is a result. */
function startedId(text: string): string | undefined {
  return /^(op_\w+) (?:started|still runs|queued)/.exec(text)?.[1];
}

/** Runs a line as a client does that says nothing about the mode, to its result. */
function result(command: string): Case[1] {
  return async (call, size) => {
    const id = startedId(await call("sandboxed_shell", { command }));
    if (id !== undefined) await call("await", { operation_id: id });
    return size();
  };
}

/** Starts a line and gives its id. */
async function start(call: Call, command: string): Promise<string> {
  return startedId(await call("sandboxed_shell", { command, execution_mode: BACKGROUND })) ?? "";
}

const CASES: readonly Case[] = [
  ["echo hi", result("echo hi")],
  ["exit 3", result("echo broken; exit 3")],
  ["10 KiB", result("yes 'a line of some forty characters, as logs are' | head -c 9000")],
  ["100 kB", result("yes 'a line of some forty characters, as logs are' | head -c 100000")],
  ["5 MB", result("yes 'a line of some forty characters, as logs are' | head -c 5000000")],
  ["started", async (call, size) => {
    await start(call, "sleep 0.3; echo done");
    return size();
  }],
  ["await of it", async (call, size) => {
    const id = await start(call, "sleep 0.3; echo done");
    const before = size();
    await call("await", { operation_id: id });
    const after = size();
    return { calls: after.calls - before.calls, bytes: after.bytes - before.bytes };
  }],
  ["cancel", async (call, size) => {
    const id = await start(call, "sleep 300");
    const before = size();
    await call("cancel", { operation_id: id });
    const after = size();
    return { calls: after.calls - before.calls, bytes: after.bytes - before.bytes };
  }],
  ["status", async (call, size) => {
    await call("status", {});
    return size();
  }],
  ["denied write", result("echo x > /etc/planted")],
];

/** Plays every case against a fresh server of its own, so that no news are in an answer. */
async function measure(program: string): Promise<readonly Size[]> {
  const sizes: Size[] = [];
  for (const [, play] of CASES) sizes.push(await withServer(program, play));
  return sizes;
}

async function withServer(program: string, play: Case[1]): Promise<Size> {
  const scope = await Deno.makeTempDir({ prefix: "ahma-sizes-" });
  const child = new Deno.Command(program, { cwd: scope, stdin: "piped", stdout: "piped", stderr: "null" }).spawn();
  const writer = child.stdin.getWriter();
  const waiting = new Map<number, (line: string) => void>();
  const reading = readLines(child.stdout, (line) => {
    const { id } = JSON.parse(line) as Answer;
    if (id !== undefined) waiting.get(id)?.(line);
  });
  const send = (message: object) => writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  let calls = 0;
  let bytes = 0;
  const request = async (method: string, params: object): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const id = waiting.size + 1;
    waiting.set(id, resolve);
    await send({ jsonrpc: "2.0", id, method, params });
    return await promise;
  };
  const call: Call = async (name, args) => {
    const line = await request("tools/call", { name, arguments: args });
    calls++;
    bytes += new TextEncoder().encode(line).length + 1;
    return (JSON.parse(line) as Answer).result?.content?.[0]?.text ?? "";
  };
  try {
    const clientInfo = { name: "sizes", version: "1" };
    await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    await send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return await play(call, () => ({ calls, bytes }));
  } finally {
    await writer.close();
    await Promise.all([child.status, reading]);
    await Deno.remove(scope, { recursive: true });
  }
}

if (import.meta.main) {
  const columns = await Promise.all(Deno.args.map(async (program) => await measure(await Deno.realPath(program))));
  for (const [index, [name]] of CASES.entries()) {
    const cells = columns.map((sizes) =>
      `${sizes[index]?.calls} calls ${String(sizes[index]?.bytes).padStart(6)} bytes`
    );
    await Deno.stdout.write(new TextEncoder().encode(`${name.padEnd(14)}${cells.join("   ")}\n`));
  }
}
