/**
 * The executables that `deno compile` makes. It puts the program behind `denort`, a smaller runtime that no package
 * registry has, and compares no sum of it; so its SHA-256 is compared here first. An unknown sum is an error.
 */
import { runtimeCache } from "../../src/sandbox/grants/runtime_cache.ts";
import { HTTP_PERMISSIONS, SERVER_RUN_FLAGS } from "../permissions.ts";
import { type DenortPin, denortPin, sha256, type Target, withDenort } from "./pins.ts";

/** What is compiled, and with what. */
export interface Compilation {
  /** The packed program. */
  readonly program: string;
  /** What it loads later. */
  readonly parts: readonly string[];
  readonly output: string;
  /** Has DENORT_BIN, or DENO_DIR and what it is derived from, where deno looks for denort. */
  readonly environment: Readonly<Record<string, string>>;
  /** Takes the sum of the denort that is there as a pinned one. */
  readonly record: boolean;
  readonly pins: URL;
}

/** @throws {Error} When denort cannot be had or is not the pinned one, with the ways out. */
export async function compileWithDeno(target: Target, compilation: Compilation): Promise<void> {
  const { program, parts, output, environment } = compilation;
  const pin = denortPin(target);
  const { DENORT_BIN: given } = environment;
  const directory = runtimeCache(environment, Deno.cwd());
  if (directory === undefined) throw new Error("Set HOME or DENO_DIR: deno keeps denort there");
  const place = given ?? `${directory}/dl/release/v${pin.version}/denort-${pin.triple}.zip`;
  if (given === undefined && !await isFile(place)) await fetchDenort(place, { target, pin, environment });
  await checkSum(place, { target, pin, compilation });
  const flags = [...SERVER_RUN_FLAGS, ...HTTP_PERMISSIONS];
  // Without --no-code-cache the program would take compiled code from a file in /tmp with a name that all know.
  const words = [
    "compile",
    "--quiet",
    "--no-code-cache",
    "--target",
    pin.triple,
    "--output",
    output,
    ...parts.flatMap((part) => ["--include", part]),
    ...flags,
    program,
  ];
  const said = await deno(words, environment);
  if (said !== undefined) throw new Error(`Deno did not compile it: ${said}`);
}

/** Deno itself gets it, for a program of nothing, which is thrown away. */
async function fetchDenort(
  place: string,
  { target, pin, environment }: Pick<Compilation, "environment"> & { readonly target: Target; readonly pin: DenortPin },
): Promise<void> {
  const temporary = await Deno.makeTempDir({ prefix: "ahma-denort-" });
  try {
    await Deno.writeTextFile(`${temporary}/empty.mjs`, "");
    const words = ["compile", "--quiet", "--no-config", "--target", pin.triple, "--output", `${temporary}/empty`];
    const said = await deno([...words, `${temporary}/empty.mjs`], environment);
    if (await isFile(place)) return;
    const ways = [
      `set DENORT_BIN to a denort ${pin.version} for ${pin.triple}`,
      `put its archive at "${place}"`,
      ...target.startsWith("linux") ? ["leave out --with deno-compile: the embedded way needs no denort"] : [],
    ];
    throw new Error(
      `Cannot get denort, which deno compile needs (${said ?? "it kept no file"}). Ways out:\n- ${ways.join("\n- ")}`,
    );
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
}

async function checkSum(
  place: string,
  { target, pin, compilation }: { readonly target: Target; readonly pin: DenortPin; readonly compilation: Compilation },
): Promise<void> {
  const sum = await sha256(await Deno.readFile(place));
  if (pin.denort.includes(sum)) return;
  if (compilation.record) {
    return await Deno.writeTextFile(
      compilation.pins,
      withDenort(await Deno.readTextFile(compilation.pins), target, sum),
    );
  }
  const known = pin.denort.length === 0 ? "none is pinned" : `pinned: ${pin.denort.join(", ")}`;
  throw new Error(
    `"${place}" has the SHA-256 ${sum}; ${known} for ${target}. Remove the file, or pin its sum with --record ` +
      "when you know where it comes from",
  );
}

/** Runs this very runtime; gives the deepest reason that it names, undefined: it succeeded. */
async function deno(words: readonly string[], environment: Compilation["environment"]): Promise<string | undefined> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...words],
    clearEnv: true,
    env: { ...environment, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success) return undefined;
  const [said = ""] = new TextDecoder().decode(stderr).split("\nStack backtrace:");
  return said.trim().split("\n").at(-1)?.replace(/^\s*\d+: /, "") ?? "";
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false;
    throw thrown;
  }
}
