import { SERVER_RUN_FLAGS } from "../../scripts/permissions.ts";
import { exists, ORDINARY_ID, type Workbench } from "./workbench.ts";

/** The packed program, as people run it. */
const BUNDLE = new URL("../../dist/ahma_mcp.mjs", import.meta.url).pathname;

/** A command line and environment that start the program for a bench. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * How to start the packed program as the bench's user; `prefix` is a program, and its first words, that runs ours.
 * @throws Error with the remedy when the program is not packed.
 */
export function programStart(
  bench: Workbench,
  flags: readonly string[],
  prefix: readonly string[] = [],
  permissions: readonly string[] = [],
): ProgramStart {
  if (!exists(BUNDLE)) throw new Error(`Cannot start "${BUNDLE}": there is no such file. Run "deno task bundle" first`);
  const other = bench.user === "ordinary" && Deno.uid() === 0;
  const runtime = other ? runtimeFor(bench) : { deno: Deno.execPath(), bundle: BUNDLE };
  const line = [...prefix, runtime.deno, "run", ...SERVER_RUN_FLAGS, ...permissions, runtime.bundle, ...flags];
  const words = other
    ? ["setpriv", `--reuid=${ORDINARY_ID}`, `--regid=${ORDINARY_ID}`, "--clear-groups", ...line]
    : line;
  const [command = "", ...args] = words;
  return { command, args, environment: environmentFor(bench, other) };
}

/** The runtime often lives in a home that only its owner may enter: the ordinary user gets it under a path of its own. */
function runtimeFor(bench: Workbench): { readonly deno: string; readonly bundle: string } {
  const deno = `${bench.runtime}/deno`;
  const bundle = `${bench.runtime}/ahma_mcp.mjs`;
  if (!exists(bench.runtime)) {
    Deno.mkdirSync(bench.runtime);
    linkOrCopy(Deno.realPathSync(Deno.execPath()), deno);
    Deno.copyFileSync(BUNDLE, bundle);
    Deno.chmodSync(bundle, 0o644);
  }
  return { deno, bundle };
}

function linkOrCopy(from: string, to: string): void {
  try {
    Deno.linkSync(from, to);
  } catch (error) {
    // Another file system, or one without hard links: the copy costs a tenth of a second.
    if (!(error instanceof Error)) throw error;
    Deno.copyFileSync(from, to);
  }
  Deno.chmodSync(to, 0o755);
}

function environmentFor(bench: Workbench, other: boolean): Readonly<Record<string, string>> {
  const home = Deno.env.get("HOME") ?? "/root";
  const keep = (name: string, fallback: string) => Deno.env.get(name) ?? fallback;
  const ownTools: Record<string, string> = {
    PATH: keep("PATH", "/usr/local/bin:/usr/bin:/bin"),
    RUSTUP_HOME: keep("RUSTUP_HOME", `${home}/.rustup`),
    PYENV_ROOT: keep("PYENV_ROOT", `${home}/.pyenv`),
  };
  return {
    ...(other ? { PATH: `${bench.runtime}:/usr/local/bin:/usr/bin:/bin` } : ownTools),
    HOME: bench.home,
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    DENO_NO_UPDATE_CHECK: "1",
  };
}
