/** The outline of one source. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Grammars } from "./grammars.ts";
import { endingOf, languageOf } from "./languages/languages.ts";
import { type OutlineSymbol, symbolTree } from "./symbols.ts";

const HEADINGS: ReadonlySet<string> = new Set(["md", "markdown", "mdx"]);
/** Kinds of documents with embedded scripts, which are read in this language. */
const DOCUMENTS: ReadonlySet<string> = new Set(["vue", "svelte", "html", "htm", "astro"]);
const SCRIPT = "ts";

/** Whether sources of this ending are outlined. */
export function isOutlined(path: string): boolean {
  const ending = endingOf(path);
  return HEADINGS.has(ending) || DOCUMENTS.has(ending) || languageOf(ending) !== undefined;
}

/** The outline of `text`; the problem says why there is none. @throws {UserError} When the grammar is missing. */
export async function outlineText(
  grammars: Grammars,
  path: string,
  text: string,
): Promise<Outcome<readonly OutlineSymbol[]>> {
  const ending = endingOf(path);
  if (HEADINGS.has(ending)) return success(headingTree(text));
  const isDocument = DOCUMENTS.has(ending);
  const language = languageOf(isDocument ? SCRIPT : ending);
  if (language === undefined) {
    return failure(`no grammar for ${ending === "" ? "files without an ending" : `.${ending}`}`);
  }
  const source = isDocument ? scriptsOf(text) : text;
  const definitions = await grammars.definitions(language, source);
  if (!definitions.ok) return definitions;
  return success(symbolTree(source, definitions.value, { ...language, inBody: language.name === "python" }));
}

/** The text of a document with everything but its scripts blanked, so that line numbers stay the same. */
export function scriptsOf(text: string): string {
  let shown = "";
  let at = 0;
  // Other letters could change their length in lower case.
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  for (;;) {
    const tag = lower.indexOf("<script", at);
    const open = tag < 0 ? -1 : text.indexOf(">", tag);
    if (open < 0) return shown + blank(text.slice(at));
    const found = lower.indexOf("</script", open);
    const close = found < 0 ? text.length : found;
    shown += blank(text.slice(at, open + 1)) + text.slice(open + 1, close);
    at = close;
  }
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

interface Open extends OutlineSymbol {
  readonly level: number;
  readonly children: OutlineSymbol[];
}

/** Headings in `#` form, outside of code. */
export function headingTree(text: string): OutlineSymbol[] {
  const lines = text.split("\n");
  const top: OutlineSymbol[] = [];
  /** The open headings, outermost first. */
  const open: Open[] = [];
  const close = (level: number, to: number) => {
    for (let last = open.at(-1); last !== undefined && last.level >= level; last = open.at(-1)) {
      const { level: _, ...symbol } = { ...last, to };
      open.pop();
      (open.at(-1)?.children ?? top).push(symbol);
    }
  };
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    const level = fence === undefined ? /^(#{1,6})[ \t]/.exec(line)?.[1]?.length : undefined;
    if (level === undefined) continue;
    close(level, index);
    const name = line.slice(level).trim();
    const signature = `${"#".repeat(level)} ${name}`;
    open.push({ level, kind: "heading", name, from: index + 1, to: index + 1, signature, doc: "", children: [] });
  }
  close(0, text.endsWith("\n") ? lines.length - 1 : lines.length);
  return top;
}
