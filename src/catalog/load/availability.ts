/** Decides which tools can run here (T11), by probes in the sandbox. Sequences go with the steps they need. */
import type { Outcome } from "../../base/outcome.ts";
import type { Catalog, Leaf, Probe, UnavailableTool } from "../model/leaf.ts";
import { catalogOf } from "../model/snapshot.ts";
import { stepTarget } from "../model/resolve.ts";

/** Runs one probe; the problem says why it failed, without a full stop. Ends with the signal, never rejects. */
export type AskProbe = (probe: Probe, signal: AbortSignal) => Promise<Outcome<void>>;

/** What is known about each probe without running a command; undefined: nothing. Never rejects. */
export type RecallProbes = (probes: readonly Probe[]) => Promise<readonly (Outcome<void> | undefined)[]>;

/** Answers so far, by `probeKey`. */
export type ProbeAnswers = ReadonlyMap<string, Outcome<void>>;

/** Probes that run at once: a hundred tool files must not spawn a hundred processes. */
const AT_A_TIME = 8;

/** Two leaves with one key share an answer. */
export function probeKey(probe: Probe): string {
  return JSON.stringify(probe);
}

export interface AskOptions {
  readonly ask: AskProbe;
  /** Earlier answers; a probe that passed is not asked again. */
  readonly known: ProbeAnswers;
  /** False: checks that are commands do not run now, and keep their known answers. */
  readonly commands: boolean;
  /** Aborted: what has no answer yet stays without one. */
  readonly signal: AbortSignal;
}

/** Runs probes without an answer; drops answers of probes that are no longer in the catalog. */
export async function askProbes(catalog: Catalog, { ask, known, commands, signal }: AskOptions): Promise<ProbeAnswers> {
  const answers = new Map<string, Outcome<void>>();
  const open: [string, Probe][] = [];
  for (const [key, probe] of probesOf(catalog)) {
    const answer = known.get(key);
    const mayAsk = commands || probe.kind !== "command";
    if (answer?.ok !== true && mayAsk) open.push([key, probe]);
    else if (answer !== undefined) answers.set(key, answer);
  }
  const queue = open.values();
  const worker = async () => {
    for (const [key, probe] of queue) {
      if (signal.aborted) return;
      const answer = await ask(probe, signal);
      if (!signal.aborted) answers.set(key, answer);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, open.length) }, worker));
  return answers;
}

/** What is known at once. */
export async function recallProbes(catalog: Catalog, recall: RecallProbes): Promise<ProbeAnswers> {
  const probes = probesOf(catalog);
  const answers = await recall([...probes.values()]);
  return new Map([...probes.keys()].flatMap((key, index) => {
    const answer = answers[index];
    return answer === undefined ? [] : [[key, answer] as const];
  }));
}

/** Whether the next round has commands to run. */
export function hasOpenChecks(catalog: Catalog, known: ProbeAnswers): boolean {
  return probesOf(catalog).entries().some(([key, { kind }]) => kind === "command" && known.get(key)?.ok !== true);
}

function probesOf({ leaves }: Catalog): ReadonlyMap<string, Probe> {
  return new Map(leaves.flatMap(({ probe }) => probe === undefined ? [] : [[probeKey(probe), probe]]));
}

/** The catalog without what cannot run. A probe that has no answer yet counts as passed. */
export function withoutUnavailable(catalog: Catalog, answers: ProbeAnswers): Catalog {
  const reasons = new Map<Leaf, string>();
  for (const leaf of catalog.leaves) {
    const answer = leaf.probe === undefined ? undefined : answers.get(probeKey(leaf.probe));
    if (answer !== undefined && !answer.ok) reasons.set(leaf, answer.problem);
  }
  for (let more = reasons.size > 0; more;) more = dropSequences(catalog, reasons);
  if (reasons.size === 0) return catalog;
  const left = catalog.leaves.filter((leaf) => !reasons.has(leaf));
  return { ...catalogOf(left, catalog), unavailable: grouped(catalog.leaves, reasons) };
}

/** Why a tool is not offered, and what to do; without a full stop. */
export function reasonOf({ reason, installInstructions }: UnavailableTool): string {
  return installInstructions === "" ? reason : `${reason}. ${installInstructions}`;
}

/** Adds sequences with a step that cannot run; true when one was added, because others may need it. */
function dropSequences(catalog: Catalog, reasons: Map<Leaf, string>): boolean {
  let added = false;
  for (const leaf of catalog.leaves) {
    if (reasons.has(leaf)) continue;
    const targets = leaf.sequence.values().map((step) => stepTarget(catalog, step));
    const missing = targets.find((target) => target !== undefined && reasons.has(target));
    if (missing === undefined) continue;
    reasons.set(leaf, `its step "${missing.name}" is not available`);
    added = true;
  }
  return added;
}

/** One entry for the leaves of a tool that lack the same thing. */
function grouped(leaves: readonly Leaf[], reasons: ReadonlyMap<Leaf, string>): readonly UnavailableTool[] {
  const groups = new Map<string, { names: string[]; reason: string; installInstructions: string }>();
  for (const leaf of leaves) {
    const reason = reasons.get(leaf);
    if (reason === undefined) continue;
    const installInstructions = leaf.installInstructions ?? "";
    const key = JSON.stringify([leaf.tool, reason, installInstructions]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { names: [leaf.name], reason, installInstructions });
    else group.names.push(leaf.name);
  }
  return [...groups.values()];
}
