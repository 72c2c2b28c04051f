/** Named blocks of settings, from the user's file and the machine's (L13). Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { didYouMean } from "../../base/suggest.ts";
import { shorten, writtenOut } from "../../base/visible_text.ts";
import type { Values } from "../flags/settings_block.ts";
import type { Policy } from "./policy.ts";

type Profiles = ReadonlyMap<string, Values>;

interface ProfileChoice {
  /** From a flag or variable; undefined: neither names one. */
  readonly named: string | undefined;
  /** The user's file without its profiles. */
  readonly values: Values;
  /** Of the user's file. */
  readonly profiles: Profiles;
  /** The user's file; undefined: no variable names its directory. */
  readonly file: string | undefined;
  readonly policy: Policy | undefined;
}

interface ChosenProfile {
  /** Empty: none is chosen. */
  readonly values: Values;
  /** It stands in the user's file. */
  readonly isUsers: boolean;
  readonly warnings: readonly string[];
}

/** The profile that the policy, a flag, a variable or the user's file names; the machine's profile takes precedence. */
export function chooseProfile(
  { named, values, profiles, file, policy }: ProfileChoice,
): Outcome<ChosenProfile> {
  const name = policy?.forced.get("profile")?.[0] ?? named ?? values.get("profile")?.values?.[0];
  if (name === undefined) return success({ values: new Map(), isUsers: false, warnings: [] });
  const [own, machines] = [profiles.get(name), policy?.profiles.get(name)];
  const found = machines ?? own;
  if (found === undefined) {
    const places = [file, policy?.file].filter((one) => one !== undefined).map((one) => `"${one}"`);
    const known = [...profiles.keys(), ...policy?.profiles.keys() ?? []];
    const where = places.length === 0 ? "" : ` in ${places.join(" or ")}`;
    const others = known.length === 0
      ? `there is no profile${where}; write it there under "profiles"`
      : `the profiles${where} are ${[...new Set(known)].join(", ")}${didYouMean(name, known)}`;
    return failure(`Cannot use profile "${shorten(writtenOut(name))}": ${others}`);
  }
  const hidden = own !== undefined && machines !== undefined;
  const warnings = hidden ? [`Profile "${name}" of "${file}" is not used: "${policy?.file}" has one of this name`] : [];
  return success({ values: found, isUsers: machines === undefined, warnings });
}
