/** Names of proxied tools: `{server}_{tool}`, unique, short enough for every client, the same in each start (O2). Pure. */
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
  /** Whether another tool has the name that this one would have. */
  readonly collides: boolean;
}

export interface NameRules {
  /** Names that are in use already. */
  readonly taken: Iterable<string>;
  /** Characters of a name. */
  readonly longest: number;
  /** Of all servers, those without tools too. */
  readonly prefixes: readonly string[];
}

/**
 * A name for each tool, in order. No tool takes a name that begins like those of a server with a longer prefix: a person
 * may have told the client to trust that name.
 */
export function toolNames(
  tools: readonly NamelessTool[],
  { taken, longest, prefixes }: NameRules,
): readonly ToolName[] {
  const used = new Set(taken);
  const beginnings = prefixes.map((prefix) => toolName(prefix, ""));
  return tools.map(({ prefix, tool }) => {
    const plain = toolName(prefix, tool);
    const own = toolName(prefix, "");
    const isOfOther = beginnings.some((one) => one.length > own.length && plain.startsWith(one));
    const collides = used.has(plain) || isOfOther;
    const candidates = plain.length <= longest && !collides ? [plain] : [];
    let name = candidates[0];
    for (let round = 0; name === undefined || used.has(name); round++) {
      const suffix = fingerprint(`${prefix}\0${tool}\0${round}`).slice(0, SUFFIX);
      name = `${plain.slice(0, longest - SUFFIX - 1)}_${suffix}`;
    }
    used.add(name);
    return { name, collides };
  });
}

/** The name of a tool that is short enough and has no rival. */
export function toolName(prefix: string, tool: string): string {
  return `${cleanName(prefix)}_${cleanName(tool)}`;
}

function cleanName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, "_");
}
