/** The worker's side: reads calls from stdin, runs them concurrently, and answers each on stdout (K2). */
import { messageOf, UserError } from "../../base/errors.ts";
import { encodeFrame, FrameReader, LONGEST_ANSWER } from "../frame/frames.ts";
import { type FromWorker, textResult, type ToolResult, type ToWorker } from "../frame/messages.ts";
import { DeniedError } from "../project/protection.ts";
import { Helpers } from "../helper/helpers.ts";
import type { NativeTool, ToolContext } from "../project/native_tool.ts";
import { Project } from "../project/project.ts";

type Call = Extract<ToWorker, { readonly kind: "call" }>;

/** The code of a tool by its name; undefined: there is none. */
type FindTool = (name: string) => Promise<NativeTool | undefined>;

/** Serves the tools that `find` knows until stdin ends. @throws {Error} When the input is not a message. */
export async function serveCalls(
  input: ReadableStream<Uint8Array>,
  write: (frame: Uint8Array) => Promise<void>,
  find: FindTool,
): Promise<void> {
  const reader = new FrameReader();
  const chunks = input.getReader();
  const running = new Map<number, AbortController>();
  let project: Project | undefined;
  let writing = Promise.resolve();
  let isEnding = false;
  const send = (message: FromWorker) => {
    const frame = frameOf(message);
    writing = writing.then(() => write(frame));
  };
  const take = (message: ToWorker) => {
    switch (message.kind) {
      case "setup":
        project = new Project(message.setup);
        return;
      case "cancel":
        return running.get(message.id)?.abort();
      case "call":
        if (project !== undefined) void answer(message, project);
    }
  };
  async function answer(message: Call, files: Project): Promise<void> {
    const { id } = message;
    const abort = new AbortController();
    running.set(id, abort);
    const context: ToolContext = {
      project: files,
      signal: abort.signal,
      progress: (progress) => send({ kind: "progress", id, progress }),
    };
    const result = await run(find, message, context);
    running.delete(id);
    isEnding = files.isSpent && running.size === 0;
    send({ kind: "result", id, result, ...isEnding && { last: true } });
    if (isEnding) await chunks.cancel();
  }
  for (let read = await chunks.read(); read.value !== undefined; read = await chunks.read()) {
    for (const message of isEnding ? [] : reader.push(read.value)) take(message as ToWorker); // our own program's
  }
  for (const abort of running.values()) abort.abort();
  await project?.kept(Helpers)[Symbol.asyncDispose]();
  await writing;
}

function frameOf(message: FromWorker): Uint8Array<ArrayBuffer> {
  try {
    return encodeFrame(message, LONGEST_ANSWER);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    const last = message.kind === "result" && message.last === true;
    const result = problem("The result is too long: ask for a part");
    return encodeFrame({ kind: "result", id: message.id, result, ...last && { last } });
  }
}

async function run(find: FindTool, { tool, args }: Call, context: ToolContext): Promise<ToolResult> {
  try {
    const native = await find(tool);
    if (native === undefined) return problem(`This worker has no tool "${tool}"`);
    return await native(args as never, context); // checked by the definition
  } catch (thrown) {
    if (context.signal.aborted) return problem("The call was cancelled");
    if (thrown instanceof DeniedError) return { ...problem(thrown.message), _meta: thrown.meta };
    return problem(thrown instanceof UserError ? thrown.message : `"${tool}" failed: ${messageOf(thrown)}`);
  }
}

function problem(text: string): ToolResult {
  return { ...textResult(text), isError: true };
}
