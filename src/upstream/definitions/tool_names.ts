/** Names of proxied tools: `{server}_{tool}`, unique, short for every client, the same in each start (O2). */
import { fingerprint } from "../../base/fingerprint.ts";

/** Characters of the suffix of a name that is too long or taken. */
const SUFFIX = 6;

/** A tool that needs a name. */
export interface NamelessTool {
  readonly prefix: string;
  readonly tool: string;
}

export interface ToolName {
  readonly name: string;
  /** Whether its usual name is taken, or begins like the names of another server. */
  readonly collides: boolean;
}

export interface NameRules {
  /** Names that are in use already. */
  readonly taken: Iterable<string>;
  /** Longest name, characters. */
  readonly longest: number;
  /** Of all servers, those without tools too. */
  readonly prefixes: NamePrefixes;
}

/** What the names of a server's tools begin with before `_`, derived from the prefix of its entry. */
export type NamePrefixes = ReadonlyMap<string, string>;

/** Prefixes of which none begins another: a rule for `git_*` must not match `git_hub`, which becomes `git-hub`. */
export function namePrefixes(prefixes: readonly string[]): NamePrefixes {
  const all = [...new Set(prefixes)];
  const chosen = new Map<string, string>();
  for (const [at, prefix] of all.entries()) {
    const plain = cleanName(prefix);
    const others = all.filter((other, place) => other !== prefix && (place < at || cleanName(other) !== plain));
    const rivals = [...others.map(cleanName), ...chosen.values()];
    const fits = (one: string) =>
      !rivals.some((rival) => belongsTo(`${one}_`, rival) || one !== plain && belongsTo(`${rival}_`, one));
    const dashed = plain.replaceAll("_", "-");
    let name = [plain, dashed].find(fits);
    for (let round = 0; name === undefined; round++) {
      name = [`${dashed}-${suffixOf(prefix, round)}`].find(fits);
    }
    chosen.set(prefix, name);
  }
  return chosen;
}

/** A name for each tool, in order. None begins like those of another server, which a person may trust. */
export function toolNames(
  tools: readonly NamelessTool[],
  { taken, longest, prefixes }: NameRules,
): readonly ToolName[] {
  const used = new Set(taken);
  const beginnings = [...prefixes].flatMap(([prefix, name]) => [cleanName(prefix), name]);
  return tools.map(({ prefix, tool }) => {
    const own = prefixes.get(prefix) ?? cleanName(prefix);
    const plain = `${own}_${cleanName(tool)}`;
    const others = beginnings.filter((one) => !belongsTo(`${own}_`, one));
    const fits = (name: string) => !used.has(name) && !others.some((one) => belongsTo(name, one));
    const collides = !fits(plain);
    let name = [plain].find((one) => one.length <= longest && !collides);
    for (let round = 0; name === undefined; round++) {
      const suffix = suffixOf(`${prefix}\0${tool}`, round);
      const kept = longest - SUFFIX - 1;
      const inside = `${`${own}_`.slice(0, kept)}${suffix}_${cleanName(tool)}`.slice(0, longest);
      name = [`${plain.slice(0, kept)}_${suffix}`, inside].find(fits);
    }
    used.add(name);
    return { name, collides };
  });
}

function belongsTo(name: string, beginning: string): boolean {
  return name.startsWith(`${beginning}_`);
}

function suffixOf(text: string, round: number): string {
  return fingerprint(`${text}\0${round}`).slice(0, SUFFIX);
}

function cleanName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}
