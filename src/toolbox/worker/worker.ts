/** First module of a worker: a program of its own inside the sandbox, whose parent is the server. */
import { isThread } from "../thread/in_thread.ts";
import { findTool } from "./find_tool.ts";
import { serveCalls } from "./serve.ts";

// A thread loads this module too, and serves its own task alone.
if (!isThread()) {
  const writer = Deno.stdout.writable.getWriter();
  await serveCalls(Deno.stdin.readable, (frame) => writer.write(frame), findTool);
}
