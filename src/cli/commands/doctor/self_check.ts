/** Tries the sandbox with real commands: each denial is proved beside a matching allowance (S3, L6). */
import { messageOf, undefinedFor, UserError } from "../../../base/errors.ts";
import type { CommandEnd } from "../../../base/command/command_end.ts";
import { compose, type ComposeOptions, type Program } from "../../../app/compose_service.ts";
import { cachesOf } from "../../../app/program/scope_cache.ts";
import { supportedProcessor } from "../../../sandbox/policy/prerequisites.ts";
import { listCaches, removeCache } from "../../../sandbox/directories/scope_caches.ts";
import { sessionBases } from "../../../sandbox/directories/private_directories.ts";
import { expected, isWithin, realPath } from "../../../system/paths.ts";
import { homeOf } from "../../../system/user_directories.ts";
import { withLibc } from "../../../system/libc.ts";
import { type Check, check, type CheckStatus } from "../../terminal/check.ts";
import type { LinuxRunner } from "../../../process/linux/linux_runner.ts";
import { summaryOf, titlesOf } from "../../../sandbox/selftest/judge.ts";

/** Tries the sandbox; gives the checks in the order of the report. @throws {UserError} when there can be no sandbox */
export async function checkSandbox(options: ComposeOptions): Promise<readonly Check[]> {
  const base = trialDirectory(options);
  try {
    const [scope, outside] = [`${base}/scope`, `${base}/outside`];
    for (const directory of [scope, outside]) await Deno.mkdir(directory);
    await Deno.writeTextFile(`${outside}/secret`, "secret\n", { mode: 0o644 });
    const sandbox = { ...options.settings.sandbox, scopes: [scope] };
    const settings = { ...options.settings, sandbox, pool: false, bundles: [], toolsDirectory: undefined };
    await using program = await compose({ ...options, settings });
    return await tryAll(program, { scope, outside });
  } finally {
    await removeCachesBelow(base, options);
    await Deno.remove(base, { recursive: true });
  }
}

/** No later session has the trial's scope, so nothing would ever use its cache. */
async function removeCachesBelow(base: string, { environment }: ComposeOptions): Promise<void> {
  const [caches, real] = [cachesOf(environment), realPath(base)];
  if (caches === undefined || real === undefined) return;
  for (const cache of await listCaches(caches)) {
    if (cache.scope !== undefined && isWithin(cache.scope, real)) await removeCache(cache);
  }
}

/** In the first of the places for session directories that takes it. @throws {UserError} where none does */
function trialDirectory({ environment }: ComposeOptions): string {
  const question = { serverEnvironment: environment, home: homeOf(environment), writable: [] };
  for (const dir of sessionBases(question)) {
    const made = expected(() => Deno.makeTempDirSync({ dir, prefix: "ahma-doctor-" }));
    if (made !== undefined) return made;
  }
  throw new UserError("Cannot test the sandbox: no directory was found for the test. Set TMPDIR to a writable one");
}

async function tryAll(
  program: Program,
  { scope, outside }: { readonly scope: string; readonly outside: string },
): Promise<readonly Check[]> {
  const inside = await run(program, "echo x > inside && cat inside && rm inside", scope);
  const written = await run(program, `echo x > '${outside}/planted'`, scope);
  const planted = await isThere(`${outside}/planted`);
  const read = await run(program, `cat '${outside}/secret'`, scope);
  const changed = await run(program, `chmod 600 '${outside}/secret'`, scope);
  const mode = (await Deno.stat(`${outside}/secret`)).mode ?? 0;
  const signalled = await run(program, `kill -0 ${Deno.pid} && { cat /proc/${Deno.pid}/stat || echo unknown; }`, scope);
  // Undefined here means that Seatbelt confines the command.
  const policy = await program.runner.policy;
  return [
    inside.output === "x\n"
      ? check("write_inside", "write inside the scope", "ok", "allowed")
      : check("write_inside", "write inside the scope", "failed", describe(inside)),
    denied("write_outside", "write outside the scope", !planted && !succeeded(written)),
    policy === undefined
      ? check("read_outside", "read outside the scope", "warning", OPEN_ON_MACOS)
      : denied("read_outside", "read outside the scope", !read.output.includes("secret\n")),
    policy === undefined || policy.namespaces
      ? denied("chmod_outside", "change modes outside the scope", (mode & 0o777) === 0o644)
      : check("chmod_outside", "change modes outside the scope", "warning", succeeded(changed) ? OPEN_CHMOD : "denied"),
    denied("signal_server", "signal the server", !isServer(signalled.output)),
  ];
}

/**
 * Whether a status that a command read is the server's. A server in a container has a low number, which is another
 * process where commands have numbers of their own; the time that a process began tells them apart.
 */
function isServer(status: string): boolean {
  if (!status.includes(`${Deno.pid} (`)) return status.includes("unknown");
  const processor = supportedProcessor(Deno.build.os, Deno.build.arch);
  if (!processor.ok) return true;
  return beginningOf(status) === beginningOf(withLibc((libc) => libc.readProc(`/proc/${Deno.pid}/stat`)) ?? "");
}

/** The 22nd field of proc_pid_stat(5); the second may hold anything, up to the last parenthesis. */
function beginningOf(status: string): string | undefined {
  return status.slice(status.lastIndexOf(")") + 2).split(" ")[19];
}

const OPEN_ON_MACOS = "possible, except credentials and private history: programs on macOS need files from everywhere";
const OPEN_CHMOD = "possible: Landlock alone does not stop it, namespaces would";

function denied(id: string, title: string, good: boolean): Check {
  return good ? check(id, title, "ok", "denied") : check(id, title, "failed", "was possible");
}

interface Ran {
  readonly end: CommandEnd;
  readonly output: string;
}

async function run({ runner }: Program, line: string, directory: string): Promise<Ran> {
  const decoder = new TextDecoder();
  let output = "";
  const end = await runner.run(
    { run: { argv: ["/bin/sh", "-c", line] }, directory, environment: {}, stdin: undefined },
    { signal: AbortSignal.timeout(10_000), onOutput: (chunk) => output += decoder.decode(chunk, { stream: true }) },
  );
  return { end, output };
}

function succeeded({ end }: Ran): boolean {
  return end.kind === "exited" && end.code === 0;
}

function describe({ end, output }: Ran): string {
  const said = output.trim();
  const how = end.kind === "exited" ? `exit code ${end.code}` : end.kind === "signalled" ? end.signal : end.message;
  return `failed: ${how}${said === "" ? "" : `: ${said}`}`;
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.lstat(path).catch(undefinedFor(Deno.errors.NotFound)) !== undefined;
}

/** How the trial ended, and each attack that was not denied. */
export async function checkSelfTest({ selfTest }: Pick<LinuxRunner, "selfTest">): Promise<readonly Check[]> {
  const [tried] = await Promise.allSettled([selfTest]);
  if (tried.status === "rejected") return [row("failed", `could not be made: ${messageOf(tried.reason)}`)];
  const report = tried.value;
  if (report === undefined) return [];
  const breached = titlesOf(report.findings, "breached").length > 0;
  const rest = report.findings.filter(({ verdict }) => verdict === "impossible" || verdict === "granted");
  return [
    row(breached ? "failed" : "ok", summaryOf(report)),
    ...rest.length === 0 ? [] : [row("ok", `proves nothing about: ${rest.map(({ title }) => title).join(", ")}`)],
  ];
}

function row(status: CheckStatus, message: string): Check {
  return check("self_test", "self-test", status, message);
}
