/** HTML as a tree, as far as the web tools look at it. Nothing in it is run or loaded. */

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

/** More blanks in a row are cut: patterns of the packages take the square of their number. */
const LONG_BLANK = /((?:\s|&nbsp;|&#160;|&#xa0;){200})(?:\s|&nbsp;|&#160;|&#xa0;)+/gi;

/** The tree of a page, whose body has what stands outside of one: pages may leave out its tag, which the package does not know. */
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

/** How much there is to do for what goes through a tree element by element. */
export interface TreeSize {
  /** Elements of the deepest one and those around it. */
  readonly depth: number;
  /** The depths of all elements, added: programs that look at all text of each element take so long. */
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
