/**
 * A sequence: several calls, strictly in order, as one operation (T14). Every step is checked before the first one
 * runs. At run time each step adds a line to the output, skips where its condition says so, and the first failure, or
 * a cancel, ends the whole.
 */
import { delay, duration } from "../../base/time.ts";
import type { CommandEnd } from "../../base/command/command_end.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Scope } from "../../system/path_scope.ts";
import type { Catalog, Leaf, LeafStep } from "../../catalog/model/leaf.ts";
import { isShellStep, resolveCall } from "../../catalog/model/resolve.ts";
import type { Work, WorkControl } from "../../operation/operation.ts";
import { checkBuiltinArguments } from "../builtin_parameters.ts";
import {
  commandWork,
  requestWork,
  SHELL_PARAMETERS,
  shellRequest,
  withNetwork,
  type WorkTools,
} from "./command_work.ts";
import { prepareCall } from "./prepare_call.ts";
import { shorten } from "../../base/visible_text.ts";
import { withRetries, withTimeLimit } from "./retries.ts";

/** The parts of a service that a sequence needs. */
export type SequenceTools = WorkTools & { readonly scope: Scope };

interface Step {
  readonly title: string;
  readonly work: Work;
  readonly skip: () => Promise<string | undefined>;
}

/** Maximum nesting of sequences. The catalog refuses cycles; this limit is a second check. */
const DEEPEST = 8;

interface SequenceCall {
  readonly leaf: Leaf;
  readonly directory: string;
}

/** Runs of a leaf that share one of these keys run one after the other (X13); empty: it is not exclusive. */
export function exclusiveKeys({ exclusive, tool }: Leaf, directory: string): readonly string[] {
  return exclusive === true ? [`${tool} ${directory}`] : [];
}

/**
 * The work of the sequence `leaf` with the keys of all its exclusive steps, or what is wrong with one of its steps. Steps
 * run in `directory` unless they name their own.
 */
export async function sequenceWork(
  tools: SequenceTools,
  catalog: Catalog,
  call: SequenceCall,
): Promise<Outcome<{ readonly work: Work; readonly exclusive: readonly string[] }>> {
  const keys = new Set<string>();
  const work = await nestedWork({ tools, catalog, made: new Map(), keys }, call, 1);
  return work.ok ? success({ work: work.value, exclusive: [...keys] }) : work;
}

/** State of the preparation of one call's steps. */
interface Making {
  readonly tools: SequenceTools;
  readonly catalog: Catalog;
  /** Prepared steps by directory. Each is prepared once, because nested sequences can lead to it millions of times. */
  readonly made: Map<LeafStep, Map<string, Step>>;
  /** Of the exclusive leaves that its steps call. */
  readonly keys: Set<string>;
}

async function nestedWork(making: Making, { leaf, directory }: SequenceCall, depth: number): Promise<Outcome<Work>> {
  if (depth > DEEPEST) return failure(`Cannot run "${leaf.name}": sequences are nested more than ${DEEPEST} deep`);
  const steps: Step[] = [];
  for (const [index, step] of leaf.sequence.entries()) {
    const known = making.made.get(step) ?? new Map<string, Step>();
    const before = known.get(directory);
    const made = before === undefined ? await makeStep(making, { step, directory, depth }) : success(before);
    if (!made.ok) return failure(`Cannot run "${leaf.name}": step ${index + 1}: ${made.problem}`);
    making.made.set(step, known.set(directory, made.value));
    steps.push(made.value);
  }
  return success((control) => runSteps(steps, leaf.stepDelayMs, control));
}

async function makeStep(
  making: Making,
  { step, directory, depth }: { readonly step: LeafStep; readonly directory: string; readonly depth: number },
): Promise<Outcome<Step>> {
  const { tools, catalog } = making;
  const skip = () => skipReason(tools.scope, step, directory);
  if (isShellStep(step)) return await makeShellStep(tools, step, { directory, skip });
  const given = step.subcommand === "" ? step.args : { ...step.args, subcommand: step.subcommand };
  const resolved = resolveCall(catalog, step.tool, given);
  if (!resolved.ok) return failure(resolved.problem.message);
  const { leaf, args } = resolved.value;
  const prepared = await prepareCall(leaf, args, { scope: tools.scope, directory });
  if (!prepared.ok) return prepared;
  const { meta, directory: own, command, title } = prepared.value;
  for (const key of exclusiveKeys(leaf, own)) making.keys.add(key);
  const name = nameOf(step, leaf.name);
  const seconds = meta.timeoutSeconds ?? leaf.timeoutSeconds;
  const work = command === undefined
    ? await nestedWork(making, { leaf, directory: own }, depth + 1)
    : success(withRetries(commandWork(tools, command, own), leaf.retry));
  if (!work.ok) return work;
  const whole = command === undefined ? name : `${name}: ${title}`;
  return success({ title: whole, work: withTimeLimit(withNetwork(work.value, leaf.network), seconds), skip });
}

/** A step that is a shell line. Like every step, it runs in the directory of the sequence unless it names another. */
async function makeShellStep(
  tools: SequenceTools,
  step: LeafStep,
  { directory, skip }: { readonly directory: string } & Pick<Step, "skip">,
): Promise<Outcome<Step>> {
  const checked = checkBuiltinArguments(step.tool, SHELL_PARAMETERS, {
    working_directory: directory,
    ...step.args,
  });
  if (!checked.ok) return checked;
  const request = await shellRequest(checked.value, tools.scope);
  if (!request.ok) return request;
  const title = `${nameOf(step, step.tool)}: ${shorten(checked.value.text("command") ?? "")}`;
  const seconds = checked.value.number("timeout_seconds");
  return success({ title, work: withTimeLimit(requestWork(tools, request.value), seconds), skip });
}

function nameOf(step: LeafStep, tool: string): string {
  return step.description === "" ? tool : `${tool} (${step.description})`;
}

async function skipReason(scope: Scope, step: LeafStep, directory: string): Promise<string | undefined> {
  if (step.skip_if_file_exists !== undefined && await exists(scope, step.skip_if_file_exists, directory)) {
    return `"${step.skip_if_file_exists}" exists`;
  }
  if (step.skip_if_file_missing !== undefined && !(await exists(scope, step.skip_if_file_missing, directory))) {
    return `"${step.skip_if_file_missing}" is missing`;
  }
  return undefined;
}

/** Whether a path in the scope exists. False outside the scope, so that a tool file cannot probe other files. */
async function exists(scope: Scope, path: string, directory: string): Promise<boolean> {
  const contained = await scope.contains(path, directory);
  if (!contained.ok) return false;
  try {
    await Deno.stat(contained.value);
    return true;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound || thrown instanceof Deno.errors.NotADirectory) return false;
    throw thrown;
  }
}

async function runSteps(steps: readonly Step[], delayMs: number, control: WorkControl): Promise<CommandEnd> {
  const say = (line: string) => control.say(line);
  let ran = false;
  // Steps of a preview share one view, so the last says it all.
  let notes: CommandEnd["notes"];
  for (const [index, step] of steps.entries()) {
    const place = `step ${index + 1}/${steps.length}`;
    const skip = await step.skip();
    if (skip !== undefined) {
      say(`[${place} skipped: ${shorten(skip)}] ${step.title}`);
      continue;
    }
    if (ran && delayMs > 0) await delay(delayMs, control.signal);
    if (control.signal.aborted) return { kind: "not_started", message: "Ended before the next step" };
    ran = true;
    say(`[${place}] ${step.title}`);
    const startedAt = performance.now();
    const end = await step.work(control);
    say(`[${place} ${describeEnd(end)}, ${duration(performance.now() - startedAt)}]`);
    if (end.kind !== "exited" || end.code !== 0) return end;
    if (control.preview === true) notes = end.notes;
  }
  return { kind: "exited", code: 0, ...notes !== undefined && { notes } };
}

function describeEnd(end: CommandEnd): string {
  if (end.kind === "exited") return end.code === 0 ? "completed" : `failed, exit code ${end.code}`;
  return end.kind === "signalled" ? `ended by ${end.signal}` : `not started: ${end.message}`;
}
