/**
 * Runs the launcher without the server: tables of a real policy, changed by a test, as either user. Returns the output,
 * the launcher's reports, and how it ended.
 */
import { ignoreClosedPipe } from "../../../src/base/errors.ts";
import { FrameReader } from "../../../src/process/linux/serving/serving_sandbox.ts";
import { makeSeenDirectory } from "../../../src/base/_support/seen_directory.ts";
import { ENTRY_BYTES } from "../../../src/sandbox/launcher/image/interpreter.ts";
import { INTERPRETERS } from "../../../src/sandbox/launcher/image/interpreter_code.ts";
import { buildImage } from "../../../src/sandbox/launcher/image/image.ts";
import type { LaunchTarget } from "../../../src/sandbox/launcher/policy_table.ts";
import type { Processor } from "../../../src/system/syscalls.ts";
import type { Table } from "../../../src/sandbox/launcher/image/table.ts";
import { type LauncherReport, ReportReader } from "../../../src/process/linux/launch/launcher_reports.ts";
import type { SandboxPolicy } from "../../../src/sandbox/policy/policy.ts";
import { prepareSandbox, type Sandbox } from "../../../src/sandbox/prepare_linux.ts";
import { removeSessionDirectories } from "../../../src/sandbox/directories/session_directory.ts";
import { sandboxSettings } from "../../../src/sandbox/_support/settings.ts";
import { ORDINARY_ID, type User } from "../workbench.ts";

const PROCESSOR: Processor = Deno.build.arch === "aarch64" ? "aarch64" : "x86_64";

/** This machine, with this test run in place of the server. */
export const TARGET: LaunchTarget = { processor: PROCESSOR, serverPid: Deno.pid };

/** How one launch ended. */
export interface Launched {
  readonly code: number;
  readonly output: Uint8Array;
  readonly failed: Extract<LauncherReport, { kind: "failed" }> | undefined;
}

/** A scope with a policy, for one user. */
export class LaunchBench implements AsyncDisposable {
  readonly base: string;
  readonly user: User;
  readonly sandbox: Sandbox;
  /** With namespaces. */
  readonly policy: SandboxPolicy;
  #images = 0;

  private constructor(base: string, user: User, sandbox: Sandbox) {
    if (sandbox.policy === undefined) throw new Error("There is no policy");
    this.base = base;
    this.user = user;
    this.sandbox = sandbox;
    const ids = user === "root"
      ? { uid: 0, gid: 0 }
      : { uid: Deno.uid() || ORDINARY_ID, gid: Deno.gid() || ORDINARY_ID };
    this.policy = { ...sandbox.policy, user: ids, keptCapabilities: [] };
  }

  /** Makes it. */
  static async make(user: User): Promise<LaunchBench> {
    const base = makeSeenDirectory("ahma-launch-");
    await Deno.chmod(base, 0o755);
    for (const name of ["scope", "home", "tmp"]) await Deno.mkdir(`${base}/${name}`);
    const serverEnvironment = { PATH: "/usr/bin:/bin", HOME: `${base}/home`, TMPDIR: `${base}/tmp` };
    const sandbox = prepareSandbox({ ...sandboxSettings(base), shell: "/bin/sh", serverEnvironment });
    if (!sandbox.ok) throw new Error(sandbox.problem);
    const bench = new LaunchBench(base, user, sandbox.value);
    if (user === "ordinary" && Deno.uid() === 0) {
      const places = [base, bench.policy.root?.tree.path ?? base].map((path) => path.replace(/\/root$/, ""));
      await new Deno.Command("chown", { args: ["-R", `${ORDINARY_ID}:${ORDINARY_ID}`, ...places] }).output();
    }
    return bench;
  }

  get scope(): string {
    return `${this.base}/scope`;
  }

  /** Runs a table to its end, with an empty stdin. */
  async launch(table: Table): Promise<Launched> {
    const path = `${this.base}/image-${++this.#images}`;
    writeProgram(path, buildImage(table, INTERPRETERS[PROCESSOR]));
    const [command = path, ...args] = this.#asUser(path);
    const { code, stdout, stderr } = await outputOf(command, args);
    await Deno.remove(path);
    // Only reports: messages of setpriv or the kernel are not reports.
    const reports = stderr.length % ENTRY_BYTES === 0 ? new ReportReader().read(stderr) : [];
    return { code, output: stdout, failed: reports.find((report) => report.kind === "failed") };
  }

  /**
   * Runs a table that serves commands, with all of its stdin. Returns the output of commands until it ended, or until a
   * time limit: a step that fails can make a launcher wait or loop for ever.
   */
  async serve(table: Table, stdin: readonly Uint8Array<ArrayBuffer>[], milliseconds: number): Promise<string> {
    const path = `${this.base}/image-${++this.#images}`;
    writeProgram(path, buildImage(table, INTERPRETERS[PROCESSOR]));
    const [command = path, ...args] = this.#asUser(path);
    const run = new Deno.Command(command, { args, cwd: "/", stdin: "piped", stdout: "piped", stderr: "null" });
    const child = await startRetried(() => run.spawn());
    const timer = setTimeout(() => child.kill("SIGKILL"), milliseconds);
    const given = new Blob([...stdin]).stream().pipeTo(child.stdin).catch(ignoreClosedPipe);
    const frames = new FrameReader();
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of child.stdout) text += decoder.decode(frames.read(chunk).output, { stream: true });
    await Promise.all([given, child.status]);
    clearTimeout(timer);
    await Deno.remove(path);
    return text;
  }

  #asUser(path: string): readonly string[] {
    const other = this.user === "ordinary" && Deno.uid() === 0;
    return other ? ["setpriv", `--reuid=${ORDINARY_ID}`, `--regid=${ORDINARY_ID}`, "--clear-groups", path] : [path];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeSessionDirectories(this.sandbox.directories);
    await Deno.remove(this.base, { recursive: true });
  }
}

/** Synchronous: a process forked meanwhile would keep the file open for writing, and exec refuses such a file. */
function writeProgram(path: string, bytes: Uint8Array): void {
  Deno.writeFileSync(path, bytes);
  Deno.chmodSync(path, 0o755);
}

/**
 * Another thread of this process may be between fork and exec and still have the new file open. The kernel then refuses
 * to run the file (ETXTBSY) until that thread has called exec.
 */
async function outputOf(command: string, args: readonly string[]): Promise<Deno.CommandOutput> {
  return await startRetried(async () => {
    const output = await new Deno.Command(command, { args: [...args], cwd: "/", stdin: "null" }).output();
    const said = new TextDecoder().decode(output.stderr);
    if (said.includes(BUSY)) throw new Error(said); // of setpriv
    return output;
  });
}

async function startRetried<Value>(start: () => Value | Promise<Value>): Promise<Value> {
  for (let tries = 1;; tries++) {
    try {
      return await start();
    } catch (thrown) {
      if (!(thrown instanceof Error) || !thrown.message.includes(BUSY) || tries >= MOST_TRIES) throw thrown;
    }
  }
}

const BUSY = "Text file busy";
const MOST_TRIES = 1_000;
