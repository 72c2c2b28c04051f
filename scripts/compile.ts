/**
 * Makes one executable file of the packed program for each target that is asked for, in dist/bin, with a file of its
 * SHA-256. For Linux the program goes into the unchanged runtime (scripts/executable); `deno compile` makes the others.
 *
 *   deno task compile [--target T] [--with embedded|deno-compile] [--record]
 *   deno task compile:all
 */
import { userDirectory } from "../src/system/user_directories.ts";
import { compileWithDeno } from "./executable/deno_compile.ts";
import { embedProgram } from "./executable/embed.ts";
import { ownTarget, PINS_FILE, runtimePin, sha256, type Target, targetNamed, TARGETS } from "./executable/pins.ts";
import { runtimeFile } from "./executable/runtime_file.ts";
import { START_LINE } from "./executable/start_line.ts";
import { STUB_ARM64 } from "./executable/stub_arm64.ts";
import { STUB_X64 } from "./executable/stub_x64.ts";

const ROOT = `${import.meta.dirname}/../`;
const PROGRAM = `${ROOT}dist/ahma_mcp.mjs`;
const USAGE = "Usage: deno task compile [--target T | --all] [--with embedded|deno-compile] [--record]";

type Way = "embedded" | "deno-compile";

interface Wish {
  readonly targets: readonly Target[];
  /** Undefined: the best way for each target. */
  readonly way: Way | undefined;
  /** Take the sums of what `deno compile` builds on as the pinned ones from now on. */
  readonly record: boolean;
}

Deno.exitCode = await compile(wishOf(Deno.args));

async function compile(wish: Wish | string): Promise<number> {
  if (typeof wish === "string") {
    await tell(wish);
    return 2;
  }
  let failed = 0;
  const all = wish.targets.length > 1;
  for (const target of wish.targets) {
    try {
      await tell(await make(target, wish));
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      // Of all targets, those are made that can be made where this runs.
      if (!all || runtimePin(target) !== undefined) failed++;
      await tell(`${target}: not made. ${thrown.message}`);
    }
  }
  return failed === 0 ? 0 : 1;
}

/** What is asked for; a text: what is wrong with the words. */
function wishOf(words: readonly string[]): Wish | string {
  let targets: readonly Target[] | undefined;
  let way: Way | undefined;
  let record = false;
  const rest = words.flatMap((word) => word.split("=", 2));
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--all") targets = TARGETS;
    else if (word === "--record") record = true;
    else if (word === "--target") {
      const name = rest.shift() ?? "";
      const target = targetNamed(name);
      if (target === undefined) return `"${name}" is no target: give one of ${TARGETS.join(", ")}`;
      targets = [target];
    } else if (word === "--with") {
      const name = rest.shift();
      if (name !== "embedded" && name !== "deno-compile") return `--with takes embedded or deno-compile`;
      way = name;
    } else return `"${word}" is not known. ${USAGE}`;
  }
  const own = ownTarget(Deno.build);
  if (targets === undefined && own === undefined) return `Give a target: one of ${TARGETS.join(", ")}`;
  return { targets: targets ?? [own ?? "linux-x64"], way, record };
}

/** Makes one; gives the line that says so. */
async function make(target: Target, { way, record }: Wish): Promise<string> {
  const pin = runtimePin(target);
  const path = `${ROOT}dist/bin/ahma_mcp-${target}${target.startsWith("windows") ? ".exe" : ""}`;
  const fresh = `${path}.${Deno.pid}.new`;
  await Deno.mkdir(`${ROOT}dist/bin`, { recursive: true });
  try {
    if (pin === undefined || way === "deno-compile") {
      if (way === "embedded") throw new Error("A program is embedded for Linux only: leave out --with embedded");
      const compiled = { program: PROGRAM, output: fresh, environment: Deno.env.toObject(), record, pins: PINS_FILE };
      await compileWithDeno(target, compiled);
    } else {
      const runtime = await runtimeFile(target, pin, { cache: cacheDirectory(), own: Deno.execPath() });
      const stub = target === "linux-arm64" ? STUB_ARM64 : STUB_X64;
      const executable = embedProgram(runtime, await Deno.readFile(PROGRAM), { stub, line: START_LINE });
      await Deno.writeFile(fresh, executable, { mode: 0o755 });
    }
    const bytes = await Deno.readFile(fresh);
    const name = path.slice(path.lastIndexOf("/") + 1);
    await Deno.writeTextFile(`${path}.sha256`, `${await sha256(bytes)}  ${name}\n`);
    await Deno.rename(fresh, path);
    return `Made dist/bin/${name}, ${(bytes.length / 1e6).toFixed(1)} MB`;
  } finally {
    await Deno.remove(fresh).catch(ignoreMissing);
  }
}

/** Where runtimes are kept: below the user's caches. */
function cacheDirectory(): string {
  const caches = userDirectory(Deno.env.toObject(), "XDG_CACHE_HOME");
  if (caches === undefined) throw new Error("Set HOME or XDG_CACHE_HOME: runtimes are kept there");
  return `${caches}/ahma_build`;
}

function ignoreMissing(thrown: unknown): void {
  if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
}

async function tell(line: string): Promise<void> {
  await Deno.stderr.write(new TextEncoder().encode(`${line}\n`));
}
