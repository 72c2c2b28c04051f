/**
 * Tests the properties with values that the gate does not try: a random seed, and sixty times as many runs. Add a
 * counterexample to the `examples` of its property, in the commit that fixes the code.
 *
 *   deno task fuzz                        every file with properties
 *   deno task fuzz --seed 7 --times 100 src/base/glob_test.ts
 */
import { globSync } from "node:fs";
import { parseArgs } from "node:util";
import { FUZZ_SEED, FUZZ_TIMES } from "./properties.ts";
import { say } from "../../say.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const TIMES = "20";
const SEEDS = 2 ** 31;

const { values, positionals } = parseArgs({
  args: Deno.args,
  options: { seed: { type: "string" }, times: { type: "string", default: TIMES } },
  allowPositionals: true,
});
const seed = values.seed ?? String(Math.floor(Math.random() * SEEDS));
const files = positionals.length > 0 ? positionals : globSync("{src,scripts,tests}/**/*_test.ts", { cwd: ROOT })
  .filter((file) => Deno.readTextFileSync(`${ROOT}${file}`).includes(' from "fast-check";'));
say(`Seed ${seed}, ${values.times} times the runs, ${files.length} files`);
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["test", "--no-check", "--parallel", "--no-prompt", "--allow-all", ...files],
  cwd: ROOT,
  env: { [FUZZ_SEED]: seed, [FUZZ_TIMES]: values.times },
}).spawn().status;
say(`The seed was ${seed}`);
Deno.exitCode = code;
