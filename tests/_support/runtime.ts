/**
 * What the servers of all test files share: the runtime and the packed program at paths that every user may enter, and a
 * cache of compiled code for each user. From the second start on it is warm, as on a person's machine.
 */
import { createHash } from "node:crypto";
import { PROGRAM_PARTS } from "../../src/app/program/program_parts.ts";
import { ownExecutable } from "./packages/own_executable.ts";
import { exists, ORDINARY_ID, type User } from "./workbench.ts";

/** The packed program, as people run it. */
const BUNDLE = new URL("../../dist/ahma_mcp.mjs", import.meta.url).pathname;
/** The files that the program loads later, and those of the workers of native tools. */
const WORKER = new URL("../../dist/worker", import.meta.url).pathname;
/** How long the files of an unused packed program are kept: a day. */
const KEPT_MILLISECONDS = 86_400_000;

/** What the tests of this run start: the packed program with a runtime, or the executable (`test:executable`). */
const FORM: "packed program" | "executable" = Deno.env.get("AHMA_TEST_FORM") === "executable"
  ? "executable"
  : "packed program";

/** Paths for the start of a server. */
export interface TestRuntime {
  readonly deno: string;
  readonly bundle: string;
  /** The executable, started instead of runtime and bundle; undefined: the tests do not use it. */
  readonly executable: string | undefined;
  /** DENO_DIR. */
  readonly cache: string;
}

const made = new Map<User, TestRuntime>();

/** @throws Error with the remedy when the program is not packed. */
export function testRuntime(user: User): TestRuntime {
  const known = made.get(user) ?? runtimeIn(sharedDirectory(), user);
  made.set(user, known);
  return known;
}

/** Gives this test file a runtime of its own for `user`, for a test that changes it. */
export function takeOwnRuntime(user: User): TestRuntime {
  const directory = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "ahma-runtime-" }));
  globalThis.addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));
  fill(directory);
  const own = runtimeIn(directory, user);
  made.set(user, own);
  return own;
}

function runtimeIn(directory: string, user: User): TestRuntime {
  const other = user === "ordinary" && Deno.uid() === 0;
  const programs = other
    ? { deno: `${directory}/programs/deno`, bundle: `${directory}/programs/ahma_mcp.mjs` }
    : { deno: Deno.execPath(), bundle: BUNDLE };
  const executable = FORM === "packed program"
    ? undefined
    : other
    ? `${directory}/programs/executable`
    : ownExecutable();
  return { ...programs, executable, cache: `${directory}/${other ? "ordinary" : "own"}` };
}

/** The directory of this packed program and runtime: made once, completely or not at all, and kept for the next run. */
function sharedDirectory(): string {
  if (!exists(BUNDLE)) throw new Error(`Cannot start "${BUNDLE}": there is no such file. Run "deno task bundle" first`);
  const form = FORM === "executable" ? Deno.readTextFileSync(`${ownExecutable()}.sha256`) : FORM;
  const digest = createHash("sha256").update(Deno.readFileSync(BUNDLE)).update(form)
    .update(Deno.readFileSync(`${WORKER}/worker.js`)).update(Deno.readFileSync(`${WORKER}/script.js`))
    .update(PROGRAM_PARTS.map((part) => Deno.readTextFileSync(`${WORKER}/${part}`)).join(""))
    .update(`${BUNDLE} ${Deno.execPath()} ${Deno.version.deno}`).digest("hex").slice(0, 16);
  const fresh = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "ahma-runtime-" }));
  const parent = fresh.slice(0, fresh.lastIndexOf("/"));
  const prefix = `ahma-runtime-for-${Deno.uid()}-`;
  const directory = `${parent}/${prefix}${digest}`;
  if (!exists(directory)) {
    removeOld(parent, prefix);
    fill(fresh);
    moveUnlessThere(fresh, directory);
  } else Deno.removeSync(fresh);
  const { uid } = Deno.lstatSync(directory);
  if (uid !== Deno.uid()) throw new Error(`Cannot use "${directory}": it belongs to user ${uid}. Remove it`);
  Deno.utimeSync(directory, new Date(), new Date());
  return directory;
}

function fill(directory: string): void {
  Deno.chmodSync(directory, 0o755);
  Deno.mkdirSync(`${directory}/own`);
  if (Deno.uid() !== 0) return;
  // The runtime often lives in a home that only its owner may enter.
  Deno.mkdirSync(`${directory}/programs`);
  linkOrCopy(Deno.realPathSync(Deno.execPath()), `${directory}/programs/deno`);
  Deno.copyFileSync(BUNDLE, `${directory}/programs/ahma_mcp.mjs`);
  Deno.chmodSync(`${directory}/programs/ahma_mcp.mjs`, 0o644);
  Deno.mkdirSync(`${directory}/programs/worker`);
  for (const { name } of Deno.readDirSync(WORKER)) {
    Deno.copyFileSync(`${WORKER}/${name}`, `${directory}/programs/worker/${name}`);
    Deno.chmodSync(`${directory}/programs/worker/${name}`, 0o644);
  }
  if (FORM === "executable") linkOrCopy(ownExecutable(), `${directory}/programs/executable`);
  Deno.mkdirSync(`${directory}/ordinary`);
  Deno.chownSync(`${directory}/ordinary`, ORDINARY_ID, ORDINARY_ID);
}

/** A test file that runs at the same time may be first. */
function moveUnlessThere(fresh: string, directory: string): void {
  try {
    Deno.renameSync(fresh, directory);
  } catch (error) {
    Deno.removeSync(fresh, { recursive: true });
    if (!exists(directory)) throw error;
  }
}

/** A directory is touched whenever it is used. */
function removeOld(parent: string, prefix: string): void {
  for (const { name } of Deno.readDirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const { mtime } = Deno.lstatSync(`${parent}/${name}`);
    if (mtime !== null && Date.now() - mtime.getTime() > KEPT_MILLISECONDS) {
      Deno.removeSync(`${parent}/${name}`, { recursive: true });
    }
  }
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
