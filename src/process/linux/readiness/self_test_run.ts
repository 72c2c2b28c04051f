/**
 * Self-test of the sandbox before the first command (S3): the attacks run behind the very table that commands get.
 * Their success shows in the kernel's answers and in changes outside.
 *
 * control: makes the targets and runs every attack without the policy → attack: makes them behind it → a look at the
 * targets → findings. Nothing is left.
 */
import { undefinedFor } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { type LaunchTarget, policyTable } from "../../../sandbox/launcher/policy_table.ts";
import type { Table } from "../../../sandbox/launcher/image/table.ts";
import type { FileFacts } from "../../../system/libc.ts";
import { TreeMaker } from "../../../system/open_files/tree_maker.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import { type Attack, type AttackPlace, defencesOf } from "../../../sandbox/selftest/attack.ts";
import {
  attackTable,
  controlTable,
  readResults,
  RESULTS_BYTES,
  TARGET_BYTES,
} from "../../../sandbox/selftest/attack_table.ts";
import { ATTACKS } from "../../../sandbox/selftest/attacks.ts";
import { judge, refusalFor, type SelfTestReport, summaryOf, titlesOf } from "../../../sandbox/selftest/judge.ts";
import type { SessionDirectories } from "../../../sandbox/directories/session_directory.ts";
import { describeFailure, failureIn } from "../launch/launcher_reports.ts";
import type { LauncherImage, LauncherProcess, Spawner } from "../../spawn.ts";

export interface SelfTest {
  /** The policy in force. */
  readonly policy: SandboxPolicy;
  /** Its table, as every command of the session gets it. */
  readonly table: Table;
  readonly target: LaunchTarget;
  readonly spawner: Spawner;
  readonly directories: Pick<SessionDirectories, "root" | "temporary">;
  /** Without an own root: an existing directory outside every writable tree, preferably one that commands see. */
  readonly place: string;
}

/** A socket's path has 107 bytes at most; that of a home may be longer. */
const LONGEST_PLACE = 90;

/** What a self-test found. */
export interface SelfTestRun {
  readonly report: SelfTestReport;
  /** Settles when nothing of it is left; commands need not wait. */
  readonly removed: Promise<void>;
}

/** Runs the self-test. @throws {Error} When it could not run: commands wait for one that can. */
export async function runSelfTest(test: SelfTest): Promise<SelfTestRun> {
  const began = performance.now();
  const { policy, table, target, spawner } = test;
  const name = `selftest-${crypto.randomUUID().slice(0, 8)}`;
  // In a private root a command sees only paths that it has rights on, and the root's own entries.
  const base = `${policy.root?.tree.path ?? test.place}/${name}`;
  const [controlled, attacked] = placesFor(test, { base, name });
  const asSeen = policy.root === undefined ? attacked : { ...attacked, outside: `/${name}/attacked` };
  await using left = new AsyncDisposableStack();
  const make = left.use(new TreeMaker());
  make.directory(base, 0o700);
  left.defer(async () => {
    // Removes each in one call: what the self-test creates there is neither deep nor closed. (`inside` may be in the
    // cache, which commands can write to, but under a new random name.)
    for (const path of [base, attacked.inside]) make.remove(path);
    await Deno.remove(attacked.pathSocket).catch(undefinedFor(Deno.errors.NotFound));
  });
  const { processor } = target;
  const control = imageOf(controlTable(policyTable(undefined, target), { control: controlled, attacked }, processor));
  const attack = imageOf(attackTable(table, asSeen, processor));
  const results = await runBoth(spawner, { control, attack }, left);
  const session = { policy, place: asSeen, defences: defencesOf(policy, table, processor) };
  const findings = judge(session, { ...results, changed: changedTargets(attacked.outside, spawner, make) });
  const report = { findings, milliseconds: performance.now() - began };
  return { report, removed: left.move().disposeAsync() };

  function imageOf(table: Table): LauncherImage {
    return left.adopt(spawner.image(table), (image) => image.dispose());
  }
}

/** Logs the result. */
export function logReport(report: SelfTestReport | undefined, logger: Logger): void {
  if (report === undefined) return;
  const level = refusalFor(report) === undefined ? "info" : "error";
  logger[level](`Self-test of the sandbox: ${summaryOf(report)}`, {
    impossible: titlesOf(report.findings, "impossible"),
    granted: titlesOf(report.findings, "granted"),
  });
}

function placesFor(
  { policy, target, directories }: SelfTest,
  { base, name }: { readonly base: string; readonly name: string },
): readonly [AttackPlace, AttackPlace] {
  const common = {
    abstractSocket: `ahma_mcp-${name}`,
    pathSocket: policy.root === undefined && base.length < LONGEST_PLACE
      ? `${base}/socket`
      : `${directories.root}/${name}.socket`,
    server: target.serverPid,
  };
  // The last writable tree is the cache, which there always is.
  const writable = directories.temporary ?? policy.writable.at(-1)?.path ?? base;
  return [
    { ...common, outside: `${base}/control`, inside: `${base}/inside` },
    { ...common, outside: `${base}/attacked`, inside: `${writable}/${name}` },
  ];
}

/** `left`: ends what still runs. */
async function runBoth(
  spawner: Spawner,
  { control, attack }: Readonly<Record<"control" | "attack", LauncherImage>>,
  left: AsyncDisposableStack,
) {
  const outside = spawner.start(control, "piped");
  left.defer(async () => {
    await outside.stdin.close();
    await outside.status;
  });
  const controlResults = await resultsOf(outside, failureOf(outside, control));
  const inside = spawner.start(attack, "null");
  left.defer(async () => void await inside.status);
  return { control: controlResults, attacked: await resultsOf(inside, failureOf(inside, attack)) };
}

/** The results as soon as they are complete: the control continues after them. */
async function resultsOf(process: LauncherProcess, failed: Promise<string | undefined>) {
  const reader = process.output.getReader();
  const bytes = new Uint8Array(RESULTS_BYTES);
  let length = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (value !== undefined) {
      bytes.set(value.subarray(0, RESULTS_BYTES - length), length);
      length += value.length;
    }
    if (length >= RESULTS_BYTES) break;
    if (!done) continue;
    const { code, signal } = await process.status;
    throw new Error(await failed ?? `The trial of the sandbox ended with ${signal ?? `exit code ${code}`}`);
  }
  await reader.cancel();
  return readResults(bytes);
}

/** The step that the launcher reports as failed, in words; undefined: none did. */
async function failureOf({ reports }: LauncherProcess, { steps }: LauncherImage): Promise<string | undefined> {
  const failed = failureIn(await new Response(reports).bytes());
  return failed && describeFailure(failed, steps, "the self-test");
}

/** Names of the attacks whose targets have changed. */
function changedTargets(
  directory: string,
  spawner: Pick<Spawner, "lookAt">,
  make: Pick<TreeMaker, "names">,
): ReadonlySet<string> {
  const isAsMade = (path: string, target: Attack["target"]) =>
    target === "file" ? isIntact(spawner.lookAt(path)) : make.names(path)?.length === 0;
  return new Set(
    ATTACKS.filter(({ id, target }) => target !== undefined && !isAsMade(`${directory}/${id}`, target))
      .map(({ id }) => id),
  );
}

function isIntact(file: FileFacts | undefined): boolean {
  return file?.kind === "file" && file.size === BigInt(TARGET_BYTES) && file.mode % 0o10000 === 0o600 &&
    file.links === 1;
}
