/** What the self-test found, from the results of both runs and what was changed outside. Pure. */
import { isGranted } from "../denials/policy_query.ts";
import type { SandboxPolicy } from "../policy/policy.ts";
import type { Attack, AttackPlace, Defence } from "./attack.ts";
import type { AttackResults } from "./attack_table.ts";
import { ATTACKS } from "./attacks.ts";

/** What became of one attack. */
export type Verdict =
  /** It works without the sandbox, and not inside. */
  | "denied"
  /** It worked, against what the session says of itself. */
  | "breached"
  /** It worked, as is known and said: nothing on this kernel stops it. */
  | "open"
  /** It does not work without the sandbox either, so that its failure proves nothing. */
  | "impossible"
  /** The policy allows it (`--read`, say), or it would hit something else. */
  | "granted";

export interface Finding {
  readonly id: string;
  readonly title: string;
  readonly verdict: Verdict;
}

/** What both runs and a look at the targets gave. */
export interface Evidence {
  readonly control: AttackResults;
  readonly attacked: AttackResults;
  /** Names of attacks whose target was changed. */
  readonly changed: ReadonlySet<string>;
}

export interface Session {
  readonly policy: SandboxPolicy;
  readonly place: AttackPlace;
  readonly defences: ReadonlySet<Defence>;
}

/** A finding for each attack, in their order. */
export function judge(session: Session, evidence: Evidence): readonly Finding[] {
  return ATTACKS.map((attack, index) => ({
    id: attack.id,
    title: attack.title,
    verdict: verdictOn(attack, session, {
      possible: evidence.control[index] === true,
      worked: evidence.attacked[index] === true || evidence.changed.has(attack.id),
    }),
  }));
}

/** Ids within a PID namespace begin again: the attacks' own processes have the first two. */
const OWN_PROCESS_IDS = 2;

function verdictOn(
  attack: Attack,
  { policy, place, defences }: Session,
  { possible, worked }: { readonly possible: boolean; readonly worked: boolean },
): Verdict {
  const taken = attack.byProcessId === true && policy.namespaces && place.server <= OWN_PROCESS_IDS;
  const granted = attack.rights !== undefined && isGranted(policy, `${place.outside}/${attack.id}`, attack.rights);
  if (taken || granted) return "granted";
  if (worked) return attack.stoppedBy.some((one) => defences.has(one)) ? "breached" : "open";
  return possible ? "denied" : "impossible";
}

/** The titles with one verdict. */
export function titlesOf(findings: readonly Finding[], verdict: Verdict): readonly string[] {
  return findings.filter((finding) => finding.verdict === verdict).map(({ title }) => title);
}

/** What was found. */
export interface SelfTestReport {
  readonly findings: readonly Finding[];
  readonly milliseconds: number;
}

/** Why no command may run; undefined: the self-test passed, or there is no sandbox. */
export function refusalFor(report: SelfTestReport | undefined): string | undefined {
  const breached = titlesOf(report?.findings ?? [], "breached");
  if (breached.length === 0) return undefined;
  return `the sandbox does not hold on this machine. Its self-test could ${breached.join(", ")}. ` +
    'No command is run; "ahma_mcp doctor" shows the whole trial';
}

/** One line for people: how the trial ended. */
export function summaryOf({ findings, milliseconds }: SelfTestReport): string {
  const breached = titlesOf(findings, "breached");
  if (breached.length > 0) return `FAILED, commands are refused: could ${breached.join(", ")}`;
  const known = titlesOf(findings, "open");
  const rest = known.length === 0 ? "" : `; not stopped on this system: ${known.join(", ")}`;
  return `${titlesOf(findings, "denied").length} attacks denied in ${Math.ceil(milliseconds)} ms${rest}`;
}
