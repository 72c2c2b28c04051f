/**
 * What the servers of one test file share: the runtime and the packed program under paths every user may enter, and a
 * cache of compiled code for each user, which is warm from the second start on, as on a person's machine.
 */
import { exists, ORDINARY_ID, type User } from "./workbench.ts";

/** The packed program, as people run it. */
const BUNDLE = new URL("../../dist/ahma_mcp.mjs", import.meta.url).pathname;

/** Paths a server is started with. */
export interface TestRuntime {
  readonly deno: string;
  readonly bundle: string;
  /** DENO_DIR. */
  readonly cache: string;
}

const made = new Map<User, TestRuntime>();

/** @throws Error with the remedy when the program is not packed. */
export function testRuntime(user: User): TestRuntime {
  const known = made.get(user);
  if (known !== undefined) return known;
  if (!exists(BUNDLE)) throw new Error(`Cannot start "${BUNDLE}": there is no such file. Run "deno task bundle" first`);
  const directory = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "ahma-runtime-" }));
  globalThis.addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));
  Deno.chmodSync(directory, 0o755);
  const other = user === "ordinary" && Deno.uid() === 0;
  const programs = other ? programsFor(`${directory}/programs`) : { deno: Deno.execPath(), bundle: BUNDLE };
  const cache = `${directory}/cache`;
  Deno.mkdirSync(cache);
  if (other) Deno.chownSync(cache, ORDINARY_ID, ORDINARY_ID);
  const runtime = { ...programs, cache };
  made.set(user, runtime);
  return runtime;
}

/** The runtime often lives in a home that only its owner may enter. */
function programsFor(directory: string): Pick<TestRuntime, "deno" | "bundle"> {
  Deno.mkdirSync(directory);
  const deno = `${directory}/deno`;
  const bundle = `${directory}/ahma_mcp.mjs`;
  linkOrCopy(Deno.realPathSync(Deno.execPath()), deno);
  Deno.copyFileSync(BUNDLE, bundle);
  Deno.chmodSync(bundle, 0o644);
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
