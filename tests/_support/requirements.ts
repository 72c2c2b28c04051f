/** docs/requirements.md as data: tables of ids and sentences, under a heading for each letter. */

/** An id with its part, as in `S8` and `X5a`; rows of the attack catalogue have a zero in front or a letter of their own. */
const CITED = /\b[BCDGHKLMNOPQSTVX][1-9]\d?[a-e]?\b/g;
const ROW = /^\| <a id="([A-Z]\d+[a-z]?)"><\/a>(\S+) +\| (.+?) *\|$/;
const FRAME = /^\| (?:id +\| requirement|-+ +\| -+|-+ \| -+) *\|$/;

export interface Requirement {
  readonly id: string;
  readonly sentence: string;
  /** The letter of the heading above it. */
  readonly heading: string;
}

/** The rows of all tables, in their order. Throws where a line of a table has another form. */
export function parseRequirements(text: string): Requirement[] {
  const found: Requirement[] = [];
  let heading = "";
  for (const line of text.split("\n")) {
    heading = line.match(/^## ([A-Z]):/)?.[1] ?? heading;
    if (!line.startsWith("|") || FRAME.test(line)) continue;
    const [, anchor, id, sentence] = line.match(ROW) ?? [];
    if (id === undefined || sentence === undefined || anchor !== id) {
      throw new Error(`No row of a requirement: ${line}`);
    }
    found.push({ id, sentence, heading });
  }
  return found;
}

/** The ids of requirements that a text cites, in their order. */
export function citedIds(text: string): string[] {
  return text.match(CITED) ?? [];
}
