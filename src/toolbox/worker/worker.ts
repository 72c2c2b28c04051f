/** First module of a worker: a separate program inside the sandbox, started by the server. */
import { findTool } from "./find_tool.ts";
import { serveCalls } from "./serve.ts";

// The runtime has read it; programs that the worker starts have bounds of their own.
Deno.env.delete("DENO_V8_FLAGS");
const writer = Deno.stdout.writable.getWriter();
await serveCalls(Deno.stdin.readable, (frame) => writer.write(frame), findTool);
