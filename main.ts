import { main } from "./src/cli/main.ts";

// One turn later this module is off the stack. With it, the first error that is thrown anywhere, a file that is not
// there for instance, makes the engine parse the whole bundle again for the stack trace: 20 to 40 ms of the start.
setTimeout(async () => Deno.exit(await main(Deno.args)));
