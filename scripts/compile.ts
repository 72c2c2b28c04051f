/**
 * Makes one executable file of the packed program for each target that is asked for, in dist/bin, with a file of its
 * SHA-256. For Linux the program goes into the unchanged runtime (scripts/executable); `deno compile` makes the others.
 *
 *   deno task compile [--target T] [--with embedded|deno-compile] [--record]
 *   deno task compile:all
 */
import { compileWithDeno } from "./executable/deno_compile.ts";
import { embeddedExecutable, isEmbedded } from "./executable/embedded.ts";
import { PINS_FILE, sha256, type Target } from "./executable/pins.ts";
import { PROGRAM_PARTS } from "../src/app/program/program_parts.ts";
import { workerFiles } from "./bundle/worker_files.ts";
import { type Wish, wishOf } from "./executable/wish.ts";
import { say } from "./say.ts";

const ROOT = `${import.meta.dirname}/../`;
const PROGRAM = `${ROOT}dist/ahma_mcp.mjs`;
const PARTS = PROGRAM_PARTS.map((part) => `${ROOT}dist/worker/${part}`);
const OUTPUT = `${ROOT}dist/bin`;

Deno.exitCode = await compile(wishOf(Deno.args, Deno.build));

async function compile(wish: Wish | string): Promise<number> {
  if (typeof wish === "string") {
    say(wish);
    return 2;
  }
  let failed = 0;
  const all = wish.targets.length > 1;
  for (const target of wish.targets) {
    try {
      say(await make(target, wish));
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      // Of all targets, those are made that can be made where this runs.
      if (!all || isEmbedded(target)) failed++;
      say(`${target}: not made. ${thrown.message}`);
    }
  }
  return failed === 0 ? 0 : 1;
}

/** Makes one; gives the line that says so. */
async function make(target: Target, wish: Wish): Promise<string> {
  const name = `ahma_mcp-${target}${target.startsWith("windows") ? ".exe" : ""}`;
  await Deno.mkdir(OUTPUT, { recursive: true });
  // It stands under its name only when it is whole.
  const place = await Deno.makeTempDir({ dir: OUTPUT });
  try {
    const bytes = await write(`${place}/${name}`, target, wish);
    await Deno.writeTextFile(`${OUTPUT}/${name}.sha256`, `${await sha256(bytes)}  ${name}\n`);
    await Deno.rename(`${place}/${name}`, `${OUTPUT}/${name}`);
    return `Made dist/bin/${name}, ${(bytes.length / 1e6).toFixed(1)} MB`;
  } finally {
    await Deno.remove(place, { recursive: true });
  }
}

/** Gives its bytes. */
async function write(output: string, target: Target, { way, record }: Wish): Promise<Uint8Array<ArrayBuffer>> {
  if (way === "deno-compile" || way === undefined && !isEmbedded(target)) {
    const environment = Deno.env.toObject();
    await compileWithDeno(target, {
      program: PROGRAM,
      parts: PARTS,
      output,
      environment,
      record,
      pins: PINS_FILE,
    });
    return await Deno.readFile(output);
  }
  const executable = await embeddedExecutable(target, await Deno.readFile(PROGRAM), await workerFiles());
  await Deno.writeFile(output, executable, { mode: 0o755 });
  return executable;
}
