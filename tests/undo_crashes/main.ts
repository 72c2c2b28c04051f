/** `deno task crashes [TIMES]`: kills the server with `--undo` so often, and prints what each kill met. */
import { Crashes, type Killed, PHASES } from "./crashes.ts";

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

const [times = "500"] = Deno.args;
const all: Killed[] = [];
await using crashes = new Crashes((killed) => {
  all.push(killed);
  const { phase, after, later, earlier } = killed;
  print(`${all.length} ${phase} after ${Math.round(after)} ms: ${later} paths changed, ${earlier} as before`);
});
await crashes.kill(Number(times));
for (const phase of PHASES) {
  const seen = all.filter((one) => one.phase === phase);
  const between = seen.filter(({ later, earlier }) => later > 0 && earlier > 0);
  print(`${phase}: killed ${seen.length} times, ${between.length} of them with a part of the paths changed`);
}
