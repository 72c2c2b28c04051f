import { everyOption } from "./every_option.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

/** Each leaf of tools/gh.json. Without a token gh says so, after it has read its flags. */
const ROWS: readonly Row[] = await everyOption({
  file: "gh.json",
  expected: /gh auth login/,
  samples: { cache: "60m" },
});

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "gh",
};
