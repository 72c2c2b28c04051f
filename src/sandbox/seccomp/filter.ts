/**
 * The seccomp filter: the architecture, then a binary search over the calls with a rule, so that others pass after a
 * few comparisons. Pure.
 */
import { ENOSYS, NO_CALL, type Processor, SYSTEM_CALLS } from "../../system/syscalls.ts";
import { Assembler } from "./assembler.ts";
import { type Instruction, SECCOMP_DATA, VERDICT } from "./bpf.ts";
import { type Demand, type FilterProfile, filterRules, type Rule } from "./rules.ts";

/** AUDIT_ARCH_* (linux/audit.h): which set of numbers a call was made with. */
export const ARCHITECTURE: Readonly<Record<Processor, number>> = { x86_64: 0xc000003e, aarch64: 0xc00000b7 };

/** __X32_SYSCALL_BIT: x86_64's third set of numbers, under the architecture of the first. */
export const X32_NUMBERS = 0x40000000;

const ALLOW = "allow";

/** The filter of a profile for one processor. */
export function seccompFilter(profile: FilterProfile, processor: Processor): readonly Instruction[] {
  const ruled = [...filterRules(profile)].flatMap(([call, rule]): readonly Ruled[] => {
    const number = SYSTEM_CALLS[processor][call];
    return number === NO_CALL ? [] : [{ number, rule, label: labelOf(call, rule) }];
  }).sort((a, b) => a.number - b.number);
  const assembler = new Assembler();
  // Programs of another architecture (32-bit ones) have other numbers, so nothing can be allowed to them. An error
  // would not be enough: not even their call to exit would work, and they would run forever.
  assembler.load(SECCOMP_DATA.architecture).when("jumpIfEqual", ARCHITECTURE[processor], { no: "foreign" });
  assembler.load(SECCOMP_DATA.number);
  if (processor === "x86_64") assembler.when("jumpIfAtLeast", X32_NUMBERS, { yes: errnoLabel(ENOSYS) });
  search(assembler, stretches(ruled));
  for (const { rule, label } of ruled) body(assembler, rule, label);
  assembler.label(ALLOW).verdict(VERDICT.allow);
  assembler.label("foreign").verdict(VERDICT.killProcess);
  for (const errno of new Set([ENOSYS, ...ruled.map(({ rule }) => rule.errno)])) {
    assembler.label(errnoLabel(errno)).verdict(VERDICT.errno(errno));
  }
  return assembler.program();
}

interface Ruled {
  readonly number: number;
  readonly rule: Rule;
  readonly label: string;
}

function errnoLabel(errno: number): string {
  return `errno ${errno}`;
}

/** A rule without exceptions needs no extra code. */
function labelOf(call: string, { errno, unless = [] }: Rule): string {
  return unless.length === 0 ? errnoLabel(errno) : `rule of ${call}`;
}

/** Calls from a number on, up to the next stretch's, all answered alike. */
interface Stretch {
  readonly from: number;
  readonly label: string;
}

/** All numbers, in as few ranges as possible. */
function stretches(ruled: readonly Ruled[]): readonly Stretch[] {
  const all = [{ from: 0, label: ALLOW }];
  for (const { number, label } of ruled) {
    // What the call before left to allow begins and ends here.
    if (all.at(-1)?.from === number) all.pop();
    if (all.at(-1)?.label !== label) all.push({ from: number, label });
    all.push({ from: number + 1, label: ALLOW });
  }
  return all;
}

/** Goes to the label of the stretch that the number lies in; `within` holds two or more. */
function search(assembler: Assembler, within: readonly Stretch[]): void {
  const middle = within.length >> 1;
  const [lower, upper] = [within.slice(0, middle), within.slice(middle)];
  const [{ from = 0, label = "" } = {}] = upper;
  const yes = upper.length === 1 ? label : `calls from ${from}`;
  const [only] = lower.length === 1 ? lower : [];
  assembler.when("jumpIfAtLeast", from, only === undefined ? { yes } : { yes, no: only.label });
  if (lower.length > 1) search(assembler, lower);
  if (upper.length > 1) search(assembler.label(yes), upper);
}

function body(assembler: Assembler, { errno, unless = [] }: Rule, label: string): void {
  if (unless.length === 0) return;
  assembler.label(label);
  unless.forEach((demands, index) => {
    const next = `${label}, exception ${index + 1}`;
    for (const [at, demand] of demands.entries()) demandOf(assembler, demand, { met: `${next}.${at}`, not: next });
    assembler.jump(ALLOW).label(next);
  });
  assembler.jump(errnoLabel(errno));
}

function demandOf(
  assembler: Assembler,
  { arg, high, mask, oneOf, noneOf = [] }: Demand,
  { met, not }: { readonly met: string; readonly not: string },
): void {
  assembler.load(SECCOMP_DATA.arguments + 8 * arg + (high === true ? 4 : 0));
  if (mask !== undefined) assembler.and(mask);
  for (const value of noneOf) assembler.when("jumpIfEqual", value, { yes: not });
  for (const value of oneOf ?? []) assembler.when("jumpIfEqual", value, { yes: met });
  if (oneOf !== undefined) assembler.jump(not);
  assembler.label(met);
}
