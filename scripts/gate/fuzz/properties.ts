/**
 * Replaces "fast-check" in tests (deno.json): the package with one seed for every property, so that a commit always
 * passes or always fails, and fewer runs. `deno task fuzz` gives another seed, and more runs.
 */
import {
  type Arbitrary,
  assert as assertProperty,
  configureGlobal,
  nat,
  string as anyString,
  type StringConstraints,
} from "fast-check/package";

export * from "fast-check/package";

/** The numbers that `deno task fuzz` gives: a seed, and how often a property is tried for each of its runs. */
export const FUZZ_SEED = "AHMA_FUZZ_SEED";
export const FUZZ_TIMES = "AHMA_FUZZ_TIMES";

/** An arbitrary fixed number: it determines the values that are tried. */
const SEED = 20_261_126;
/** The default number of runs in fast-check. */
const RUNS = 100;
/** A slow property has fewer runs more than others, milliseconds. */
const LONGEST = 60_000;

/** The gate tries the same values each time, so a third of the runs of a property is enough there. */
const times = Number(Deno.env.get(FUZZ_TIMES) ?? 1 / 3);
configureGlobal({
  seed: Number(Deno.env.get(FUZZ_SEED) ?? SEED),
  ...times > 1 && { interruptAfterTimeLimit: LONGEST },
});

/** How often something is tried whose property or test says `runs`. */
export function runsOf(runs: number): number {
  return Math.ceil(runs * times);
}

/** As in fast-check, with the requested multiple of runs. */
export const assert = ((property, parameters) =>
  assertProperty(property, {
    ...parameters,
    numRuns: runsOf(parameters?.numRuns ?? RUNS),
  })) as typeof assertProperty;

/** Pairs of surrogates are no code points. */
const SURROGATES = { first: 0xd800, count: 0x800 } as const;
const CODE_POINTS = 0x110000 - SURROGATES.count;

/** The unit "binary" of fast-check, which takes a second of the processor's time to make its table. */
const anyCodePoint = nat(CODE_POINTS - 1).map(
  (at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count),
  (unit) => {
    const [one, ...others] = typeof unit === "string" && unit.isWellFormed() ? unit : [];
    const code = one?.codePointAt(0);
    if (code === undefined || others.length > 0) throw new Error("It is no code point");
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);

/** As in fast-check. */
export function string(constraints: StringConstraints = {}): Arbitrary<string> {
  return anyString(constraints.unit === "binary" ? { ...constraints, unit: anyCodePoint } : constraints);
}
