import { seatbeltProfile } from "../profile.ts";
import { OPTION_SETS } from "./option_sets.ts";

/** Text of each file of tests/fixtures/seatbelt/ by its name: the profile, then its parameters as comments. */
export function goldenFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(OPTION_SETS).map(([name, policy]) => {
      const made = seatbeltProfile(policy);
      if (!made.ok) throw new Error(`Option set "${name}": ${made.problem}`);
      const { profile, parameters } = made.value;
      return [`${name}.sb`, `${profile}${Object.entries(parameters).map(([k, v]) => `; -D ${k}=${v}\n`).join("")}`];
    }),
  );
}
