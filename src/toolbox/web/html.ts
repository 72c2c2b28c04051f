/** HTML as a tree, as far as the web tools look at it. Nothing in it is run or loaded. */

export interface HtmlElement {
  /** In capitals. */
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly innerHTML: string;
  readonly childNodes: Iterable<{ readonly nodeName: string }>;
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

/** The tree of a page, whose body has what stands outside of one: pages may leave out its tag, which the package does not know. */
export async function parseHtml(html: string): Promise<HtmlDocument> {
  const { parseHTML } = await import("linkedom");
  // The package's types are those of a browser, which this program does not have.
  const parse = (text: string) => (parseHTML(text) as unknown as { readonly document: HtmlDocument }).document;
  const document = parse(html);
  const hasBody = document.documentElement?.nodeName === "HTML" && document.body?.innerHTML.trim() !== "";
  return hasBody
    ? document
    : parse(`<!doctype html><html><head></head><body>${html.replaceAll(FRAME, "")}</body></html>`);
}

/** Tags around a body. */
const FRAME = /<!doctype[^>]{0,500}>|<\/?(?:html|head|body)\b[^>]{0,500}>/gi;
