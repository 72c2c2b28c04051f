/**
 * Replaces "fast-check" in tests (deno.json): the package with one seed for every property, so that a commit always
 * passes or always fails. `deno task fuzz` gives another seed, and more runs.
 */
import { assert as assertProperty, configureGlobal } from "fast-check/package";

export * from "fast-check/package";

/** The numbers that `deno task fuzz` gives: a seed, and how often a property is tried for each time it is otherwise. */
export const FUZZ_SEED = "AHMA_FUZZ_SEED";
export const FUZZ_TIMES = "AHMA_FUZZ_TIMES";

/** An arbitrary fixed number: it determines the values that are tried. */
const SEED = 20_261_126;
/** The default number of runs in fast-check. */
const RUNS = 100;
/** A slow property has fewer runs more than others, milliseconds. */
const LONGEST = 60_000;

const times = Number(Deno.env.get(FUZZ_TIMES) ?? 1);
configureGlobal({
  seed: Number(Deno.env.get(FUZZ_SEED) ?? SEED),
  ...times > 1 && { interruptAfterTimeLimit: LONGEST },
});

/** As in fast-check, with the requested multiple of runs. */
export const assert = ((property, parameters) =>
  assertProperty(property, {
    ...parameters,
    numRuns: (parameters?.numRuns ?? RUNS) * times,
  })) as typeof assertProperty;
