import { everyOption } from "./every_option.ts";
import type { Row } from "./row.ts";
import { trialOf } from "./trial.ts";

/** Each leaf of tools/gh.json. Without a token gh says so, after it has read its flags. */
const ROWS: readonly Row[] = await everyOption({
  file: "gh.json",
  expected: /gh auth login/,
  samples: { cache: "60m" },
});

Deno.test(await trialOf({ file: "gh.json", rows: ROWS, program: "gh" }));
