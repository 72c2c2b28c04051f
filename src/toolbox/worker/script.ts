/** Main module of a process that runs one script of `run_script`: it has no permission, and only frames lead out (K11). */
import { messageOf } from "../../base/errors.ts";
import { boundMemory } from "../helper/bound_memory.ts";
import { isObject } from "../../wire/json_value.ts";
import { encodeFrame, FrameReader } from "../frame/frames.ts";
import { type FromScript, LONGEST_MESSAGE, type ScriptAnswer, type ToScript } from "../script/messages.ts";

/** An executable begins with all permissions. */
const PERMISSIONS = ["read", "write", "net", "env", "sys", "run", "ffi", "import"] as Deno.PermissionName[];
/** Useless without permissions: a script is told so by their absence. `node:` modules need `Deno` for their refusals. */
const ABSENT = ["fetch", "Worker", "WebSocket", "EventSource", "process", "Buffer", "navigator", "caches"];
/** What an executable's process may add to its memory: the sandbox bounds that of the other forms. */
const EXECUTABLE_MEBIBYTES = 2048;
/** Characters of one line of the console. */
const LONGEST_LINE = 16 * 1024;

const [stdout, inspect] = [Deno.stdout, Deno.inspect];
const pending = new Map<number, (answer: ScriptAnswer) => void>();

function write(message: FromScript): void {
  const frame = encodeFrame(message, LONGEST_MESSAGE);
  for (let at = 0; at < frame.length;) at += stdout.writeSync(frame.subarray(at));
}

function log(...values: unknown[]): void {
  const texts = values.map((value) => typeof value === "string" ? value : inspect(value));
  write({ kind: "log", text: texts.join(" ").slice(0, LONGEST_LINE) });
}

// Not `async`: the frame is written before the script continues.
function callTool(name: string, args: unknown): Promise<ScriptAnswer> {
  if (!isObject(args)) throw new TypeError(`Tool "${name}" takes its arguments as one object: { name: value }`);
  const { promise, resolve } = Promise.withResolvers<ScriptAnswer>();
  const id = pending.size + 1; // answered ones stay
  write({ kind: "call", id, name, args });
  pending.set(id, resolve);
  return promise;
}

const tools = new Proxy({}, {
  get: (_, name) =>
    typeof name === "symbol" || NOT_TOOLS.includes(name) ? undefined : (args: unknown = {}) => callTool(name, args),
});
/** Members that the language itself looks for. */
const NOT_TOOLS: readonly string[] = ["then", "toJSON"];
const captured = { log, info: log, warn: log, error: log, debug: log, dir: log, table: log, trace: log };

async function run(code: string): Promise<void> {
  try {
    const text = await withoutTypes(`(async (tools, console) => {${code}\n})`);
    const script = new Function(`return ${text}`)() as (...given: readonly unknown[]) => Promise<unknown>;
    const value = JSON.stringify(await script(tools, captured));
    write({ kind: "end", ...value !== undefined && { value } });
  } catch (thrown) {
    fail(thrown);
  }
}

/** @throws {Error} Where it is no TypeScript, with what the engine says of it as JavaScript: the other names no cause. */
async function withoutTypes(text: string): Promise<string> {
  const { stripTypeScriptTypes } = await import("node:module");
  try {
    return stripTypeScriptTypes(text);
  } catch (thrown) {
    if (!messageOf(thrown).endsWith("Syntax error")) throw thrown;
    try {
      new Function(`return ${text}`);
    } catch (error) {
      throw new SyntaxError(`Syntax error in the script; read as JavaScript: ${messageOf(error)}`);
    }
    throw thrown;
  }
}

/** Ends the script; what it threw may have no text. */
function fail(thrown: unknown): void {
  try {
    write({ kind: "end", problem: String(messageOf(thrown)).slice(0, LONGEST_LINE) });
  } catch (error) {
    write({ kind: "end", problem: `The script threw a value without a text (${typeof error})` });
  }
}

// What a script does not wait for would end its process without a reason.
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  fail(event.reason);
});
addEventListener("error", (event) => {
  event.preventDefault();
  fail(event.error);
});

if (Deno.permissions.querySync({ name: "ffi" }).state === "granted") boundMemory(EXECUTABLE_MEBIBYTES);
for (const name of PERMISSIONS) Deno.permissions.revokeSync({ name } as Deno.PermissionDescriptor);
const input = Deno.stdin.readable;
for (const name of ABSENT) Reflect.deleteProperty(globalThis, name);
Reflect.set(globalThis, "console", captured);
const reader = new FrameReader();
for await (const chunk of input) {
  for (const message of reader.push(chunk) as readonly ToScript[]) {
    if (message.kind === "run") void run(message.code);
    else pending.get(message.id)?.(message.answer);
  }
}
