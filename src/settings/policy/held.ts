/** Applies a policy to one flag, and to a sandbox whose rights come from elsewhere too (S37). Pure. */
import type { AskKind } from "../../base/command/grant_subject.ts";
import { printNameList } from "../../base/network/name_list.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shorten, writtenOut } from "../../base/visible_text.ts";
import type { ConfinementChoice } from "../../sandbox/policy/confinement.ts";
import type { SandboxChoice } from "../../sandbox/policy/sandbox_settings.ts";
import type { Given } from "../flags/flag_values.ts";
import { FLAG_NAMES, type FlagName, flagNamed } from "../flags/flags.ts";
import { isOrdered, loosens } from "../flags/loosens.ts";
import type { Policy } from "./policy.ts";

/**
 * The flag under the policy; its values were checked. A forced value is the most that is allowed if values are ordered,
 * a part of every list, and otherwise the only value. The problem follows a colon, and says who can help.
 */
export function heldBy(policy: Policy | undefined, name: FlagName, given: Given): Outcome<Given> {
  if (policy === undefined) return success(given);
  const { source, values } = given;
  const forced = policy.forced.get(name);
  const differs = values !== undefined && (forced === undefined || values.some((one) => !forced.includes(one)));
  if (differs && policy.forbidden.has(name)) return refuse(policy, `forbids --${name}`);
  if (forced === undefined) return success(given);
  const { value: kind, repeatable } = flagNamed(name);
  const held = { source: `policy "${policy.file}"`, values: forced };
  if (kind === "none") return values === undefined && source !== "" ? refuse(policy, `sets --${name}`) : success(held);
  if (values === undefined) return success(held);
  if (repeatable === true) return success({ source, values: [...new Set([...forced, ...values])] });
  return values.some((one) => exceeds(policy, name, one)) ? refuse(policy, bound(policy, name)) : success(given);
}

/** Why a policy refuses what a sandbox opens, a sentence; undefined: it does not. */
export function openingProblem(
  policy: Policy | undefined,
  { enforce, confinement }: SandboxChoice,
): string | undefined {
  if (policy === undefined) return undefined;
  const { unixSockets } = confinement;
  const off = !enforce && policy.forbidden.has("no-sandbox") && policy.forbidden.has("no-sandbox-server");
  const opened = ([["network", networkText(confinement)], ["unix-sockets", unixSockets]] as const)
    .find(([name, value]) => exceeds(policy, name, value))?.[0];
  if (off) return said(policy, "forbids --no-sandbox");
  return opened === undefined ? undefined : said(policy, bound(policy, opened));
}

/** Why a policy refuses to open a flag, or what it stands for, as far as `value`; undefined: it does not. */
export function closedBy(policy: Policy | undefined, name: FlagName, value: string): string | undefined {
  if (policy === undefined) return undefined;
  if (policy.forbidden.has(name)) return said(policy, `forbids --${name}`);
  return exceeds(policy, name, value) ? said(policy, bound(policy, name)) : undefined;
}

/** The flag that opens what a person is asked about, as far as an answer could. */
const ASKED: Readonly<Record<AskKind, readonly [name: FlagName, value: string]>> = {
  read: ["read", "/"],
  write: ["write", "/"],
  network: ["network", "full"],
  protected: ["allow-protected", "/"],
  ssh: ["ssh-hosts", "HOST"],
};

/** Why a person may not be asked to open these kinds, a sentence; undefined: they may. */
export function askingRefused(policy: Policy | undefined, kinds: readonly AskKind[]): string | undefined {
  for (const kind of kinds) {
    const closed = closedBy(policy, ...ASKED[kind]);
    if (closed !== undefined) return `Cannot ask for ${kind} (--ask): ${closed}`;
  }
  return undefined;
}

/** Flags as they would be typed, without those that a policy refuses, and its reason for the first refused one. */
export function heldFlags(
  policy: Policy | undefined,
  flags: readonly string[],
): { readonly flags: readonly string[]; readonly policy?: string } {
  const refused = flags.map((flag) => {
    const [word = "", value = ""] = flag.split(/ (.*)/s);
    const name = FLAG_NAMES.find((one) => word === `--${one}`);
    // For lists, only the additions are written.
    return name === undefined ? undefined : closedBy(policy, name, value.replace(/^\.\.\.,/, ""));
  });
  const said = refused.find((one) => one !== undefined);
  return { flags: flags.filter((_, at) => refused[at] === undefined), ...said !== undefined && { policy: said } };
}

/** An equivalent value of `--network`. */
export function networkText({ network, names }: Pick<ConfinementChoice, "network" | "names">): string {
  return network === "names" ? printNameList(names) : network;
}

function exceeds(policy: Policy, name: FlagName, value: string): boolean {
  const [most] = policy.forced.get(name) ?? [];
  return most !== undefined && flagNamed(name).repeatable !== true && loosens(name, value, most);
}

const LONGEST_SHOWN = 200;

function bound({ forced }: Policy, name: FlagName): string {
  const value = shorten(writtenOut(forced.get(name)?.[0] ?? ""), LONGEST_SHOWN);
  return `${isOrdered(name) ? "allows at most" : "sets"} --${name} ${value}`;
}

function refuse(policy: Policy, what: string): Outcome<never> {
  return failure(said(policy, what));
}

function said({ file, support }: Policy, what: string): string {
  return `policy "${file}" ${what}${support === undefined ? "" : `. ${support}`}`;
}

/** A summary of a policy for people, without its support text. */
export function summaryOfPolicy({ file, fingerprint, forbidden, forced, profiles }: Policy): string {
  const flags = (names: Iterable<FlagName>) => [...names].map((name) => `--${name}`).join(" ");
  const settings = [...forced].map(([name, values]) => `--${name} ${shorten(writtenOut(values.join(",")), 80)}`.trim());
  const parts = [
    ...forbidden.size === 0 ? [] : [`forbids ${flags(forbidden)}`],
    ...settings.length === 0 ? [] : [`forces ${settings.join(" ")}`],
    ...profiles.size === 0 ? [] : [`has profiles ${[...profiles.keys()].join(", ")}`],
  ];
  const what = parts.length === 0 ? "holds nothing" : parts.join(", ");
  return `"${file}" ${what} (SHA-256 ${fingerprint.slice(0, 16)})`;
}
