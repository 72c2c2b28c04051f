import { main } from "./src/cli/program.ts";

/** For the packed program (scripts/bundle/parts.ts). */
export { partAddress } from "./src/app/program/program_parts.ts";

// A microtask later this module is off the stack; a timer would do it too, and load the runtime's timers first. With it
// on the stack, the first error that is thrown anywhere, a file that is not there for instance, makes the engine parse
// the whole bundle again for the stack trace: 20 to 40 ms of the start.
queueMicrotask(async () => Deno.exit(await main(Deno.args)));
