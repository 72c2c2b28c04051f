/**
 * What tests get for "fast-check" (deno.json): the package with one seed for every property, so that a commit passes or
 * fails each time alike. `deno task fuzz` gives another seed, and more runs.
 */
import { assert as assertProperty, configureGlobal } from "fast-check/package";

export * from "fast-check/package";

/** The numbers that `deno task fuzz` gives: a seed, and how often a property is tried for each time it is otherwise. */
export const FUZZ_SEED = "AHMA_FUZZ_SEED";
export const FUZZ_TIMES = "AHMA_FUZZ_TIMES";

/** Any number: it chooses what is tried, and stays. */
const SEED = 20_261_126;
/** What fast-check runs where a property does not say it. */
const RUNS = 100;
/** A slow property has fewer runs more than others, milliseconds. */
const LONGEST = 60_000;

const times = Number(Deno.env.get(FUZZ_TIMES) ?? 1);
configureGlobal({
  seed: Number(Deno.env.get(FUZZ_SEED) ?? SEED),
  ...times > 1 && { interruptAfterTimeLimit: LONGEST },
});

/** As fast-check has it, with as many more runs as are asked for. */
export const assert = ((property, parameters) =>
  assertProperty(property, {
    ...parameters,
    numRuns: (parameters?.numRuns ?? RUNS) * times,
  })) as typeof assertProperty;
