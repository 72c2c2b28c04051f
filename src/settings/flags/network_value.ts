/** The values of `--network`: a word, or a list of names (S6, S30). Pure. */
import { type NameList, narrowed, parseNameList } from "../../base/network/name_list.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shorten, writtenOut } from "../../base/visible_text.ts";
import { type ConfinementChoice, NETWORKS } from "../../sandbox/policy/confinement.ts";

/** What is wrong with a value; undefined: nothing. */
export function networkProblem(text: string): string | undefined {
  if (isWord(text)) return undefined;
  const parsed = parseNameList(text);
  return parsed.ok
    ? undefined
    : `${parsed.problem}. Write ${WORDS}, or hosts such as "packages,github.com,*.example.org"`;
}

/** The values of a repeated flag as one: lists are joined, a word stands alone. Each was checked. */
export function oneNetwork(values: readonly string[]): Outcome<readonly [string]> {
  const different = [...new Set(values)];
  const word = different.find(isWord);
  const other = different.find((one) => one !== word);
  if (word !== undefined && other !== undefined) {
    return failure(
      `"${word}" cannot be combined with "${shorten(writtenOut(other), LONGEST_SHOWN)}": only lists can be combined`,
    );
  }
  const whole = different.join(",");
  const problem = networkProblem(whole);
  return problem === undefined ? success([whole]) : failure(problem);
}

const LONGEST_SHOWN = 80;

/** The value; it was checked by `networkProblem`. */
export function readNetwork(text: string): Pick<ConfinementChoice, "network" | "names"> {
  const word = NETWORKS.find((one) => one === text);
  return word === undefined ? { network: "names", names: listOf(text) } : { network: word, names: [] };
}

/** Whether commands may connect to more under `value` than under `bound`; both were checked. */
export function widensNetwork(value: string, bound: string): boolean {
  if (isWord(value)) return rankOf(value) < rankOf(bound);
  return isWord(bound) ? bound !== "full" : !narrowed(listOf(bound), listOf(value)).ok;
}

const WORDS = NETWORKS.map((one) => `"${one}"`).join(", ");

/** Widest first; a list comes after the first. */
function rankOf(text: string): number {
  const rank = NETWORKS.findIndex((one) => one === text);
  return rank < 0 ? 0.5 : rank;
}

function isWord(text: string): boolean {
  return NETWORKS.some((one) => one === text);
}

function listOf(text: string): NameList {
  const parsed = parseNameList(text);
  return parsed.ok ? parsed.value : [];
}
