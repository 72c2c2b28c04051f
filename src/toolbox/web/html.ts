/** HTML as a tree, as far as the web tools look at it. Nothing in it is run or loaded. */

export interface HtmlElement {
  readonly textContent: string | null;
  readonly innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  closest(selector: string): HtmlElement | null;
  querySelector(selector: string): HtmlElement | null;
}

export interface HtmlDocument {
  readonly title: string;
  readonly body: HtmlElement | null;
  querySelectorAll(selector: string): Iterable<HtmlElement>;
}

/** The tree of a page. */
export async function parseHtml(html: string): Promise<HtmlDocument> {
  const { parseHTML } = await import("linkedom");
  // The package's types are those of a browser, which this program does not have.
  return (parseHTML(html) as unknown as { readonly document: HtmlDocument }).document;
}
