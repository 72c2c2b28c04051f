/** The user's git configuration, which may name credentials, as a copy with harmless settings; git needs one (S4). */

/** Sections whose plain values say who the user is or how something looks. */
const SECTIONS = ["advice", "branch", "color", "column", "commit", "fetch", "format", "init", "log", "merge", "pull"];
const MORE_SECTIONS = ["push", "rebase", "rerere", "stash", "status", "tag", "user"];

/** Keys of `core` that start nothing. */
const CORE_KEYS = ["abbrev", "autocrlf", "eol", "filemode", "ignorecase", "precomposeunicode", "quotepath", "safecrlf"];

/** Keys of allowed sections that name a program, a key or a file. */
const REFUSED_KEYS = ["signingkey", "gpgsign", "tool", "guitool", "template", "driver", "showsignature", "templatedir"];

/** The copy: allowed settings of `original` (empty: none), and scopes marked as safe, since root may not own them. */
export function sanitiseGitConfiguration(original: string, scopes: readonly string[]): string {
  const lines: string[] = [];
  let section = "";
  for (const line of original.split(/\r?\n/)) {
    const header = /^\s*\[\s*([A-Za-z0-9.-]+)\s*\]\s*(?:[#;].*)?$/.exec(line)?.[1];
    if (header !== undefined || /^\s*\[/.test(line)) {
      section = header?.toLowerCase() ?? "";
      continue;
    }
    const [, key, given] = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=(.*)$/.exec(line) ?? [];
    const value = given?.trim();
    if (key === undefined || value === undefined || !isHarmless(section, key.toLowerCase(), value)) continue;
    lines.push(`[${section}]`, `\t${key} = ${value}`);
  }
  for (const scope of scopes) lines.push("[safe]", `\tdirectory = ${quote(scope)}`);
  return lines.join("\n") + "\n";
}

/** Lines with a header for each address, which git sends to that address and those below it. */
export function gitHeaderLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([address, header]) => `[http ${quote(address)}]\n\textraHeader = ${quote(header)}\n`).join("");
}

function isHarmless(section: string, key: string, value: string): boolean {
  if (value.startsWith("!") || value.endsWith("\\")) return false;
  if (section === "core") return CORE_KEYS.includes(key);
  return (SECTIONS.includes(section) || MORE_SECTIONS.includes(section)) && !REFUSED_KEYS.includes(key);
}

function quote(value: string): string {
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
