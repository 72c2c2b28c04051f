/** A project and assets for tests of what a release writes. */
import { TARGETS } from "../../executable/pins.ts";
import type { Asset } from "../asset.ts";
import { projectFacts } from "../project.ts";

export const PROJECT = projectFacts("owner/ahma_mcp");

/** An asset for each target, with sums that tell them apart. */
export const ASSETS: readonly Asset[] = TARGETS.map((target, index) => ({
  target,
  archiveSum: String(index).repeat(64),
  bundleSum: "abcdef"[index]?.repeat(64) ?? "",
}));
