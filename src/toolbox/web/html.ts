/** HTML as a tree, as far as the web tools need it. No script is run, and nothing is loaded. */

export interface HtmlElement {
  /** In capitals. */
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly innerHTML: string;
  readonly childNodes: Iterable<{ readonly nodeName: string }>;
  readonly parentElement: HtmlElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  closest(selector: string): HtmlElement | null;
  querySelector(selector: string): HtmlElement | null;
}

export interface HtmlDocument {
  /** Null: it has no element. */
  readonly documentElement: HtmlElement | null;
  readonly body: HtmlElement | null;
  querySelector(selector: string): HtmlElement | null;
  querySelectorAll(selector: string): Iterable<HtmlElement>;
}

/** Longer rows of blanks are cut, because patterns of the packages take quadratic time. */
const LONG_BLANK = /((?:\s|&nbsp;|&#160;|&#xa0;){200})(?:\s|&nbsp;|&#160;|&#xa0;)+/gi;

/** Parses a page. Content outside a body moves into it: pages may omit the tag, which the package does not handle. */
export async function parseHtml(html: string): Promise<HtmlDocument> {
  const { parseHTML } = await import("linkedom");
  // The package's types are those of a browser, which this program does not have.
  const parse = (text: string) => (parseHTML(text) as unknown as { readonly document: HtmlDocument }).document;
  const text = html.replaceAll(LONG_BLANK, "$1");
  const document = parse(text);
  const hasBody = document.documentElement?.nodeName === "HTML" && document.body?.innerHTML.trim() !== "";
  return hasBody
    ? document
    : parse(`<!doctype html><html><head></head><body>${text.replaceAll(FRAME, "")}</body></html>`);
}

/** The size of a tree, to estimate the work of a traversal. */
export interface TreeSize {
  /** Depth of the deepest element. */
  readonly depth: number;
  /** The sum of the depths of all elements, which bounds the time to read the text of each element. */
  readonly total: number;
}

/** The size of a tree. */
export function sizeOf(document: HtmlDocument): TreeSize {
  const depths = new Map<HtmlElement | null, number>();
  let [deepest, total] = [0, 0];
  for (const element of document.querySelectorAll("*")) {
    const depth = (depths.get(element.parentElement) ?? 0) + 1;
    depths.set(element, depth);
    deepest = Math.max(deepest, depth);
    total += depth;
  }
  return { depth: deepest, total };
}

/** Tags around a body. */
const FRAME = /<!doctype[^>]{0,500}>|<\/?(?:html|head|body)\b[^>]{0,500}>/gi;
