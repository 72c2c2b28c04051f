/** The text of a page for a model: Markdown of its article, or its source (K5). Only a helper parses pages. */
import { attempt } from "../../base/errors.ts";
import { shorten, visibleText } from "../../base/visible_text.ts";
import { type HtmlDocument, type HtmlElement, parseHtml, sizeOf } from "./html.ts";
import { markdownOf } from "./markdown.ts";
import { decodeText } from "./read_body.ts";

export interface PageText {
  readonly title: string | undefined;
  readonly text: string;
}

/** How a page is read, and which part of its text is shown. */
export interface PageTask {
  readonly contentType: string;
  readonly url: string;
  /** Whether its source is shown. */
  readonly raw: boolean;
  /** UTF-16 units to skip. */
  readonly from: number;
  /** UTF-16 units that are shown. */
  readonly length: number;
}

/** A part of a page's text, without hidden characters. */
export interface PagePart extends PageText {
  /** Length of its whole text, UTF-16 units. */
  readonly total: number;
}

/** The part of a page that a task asks for; undefined: the page is not text. */
export async function pagePart(bytes: Uint8Array<ArrayBuffer>, task: PageTask): Promise<PagePart | undefined> {
  const { contentType, url, raw, from, length } = task;
  const page = raw
    ? { title: undefined, text: decodeText(bytes, contentType) }
    : await pageText(bytes, contentType, new URL(url));
  if (page === undefined) return undefined;
  const whole = visibleText(page.text);
  return {
    title: page.title && shorten(page.title),
    text: whole.slice(from, from + length).toWellFormed(),
    total: whole.length,
  };
}

/** Elements without text for readers. */
const NO_TEXT = "body title, script, style, noscript, template, iframe, svg";
/** An article with fewer words is considered incomplete. */
const LEAST_WORDS = 200;
/** A deeper tree is reduced to its text, because the converter recurses for each level. */
const DEEPEST = 400;
/** No article is searched in a larger tree, because it would take more than about two seconds. */
const LARGEST_TOTAL = 250_000;

/** The text of a page; undefined: it is not text, such as an image or an archive. */
export async function pageText(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  url: URL,
): Promise<PageText | undefined> {
  const type = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "application/pdf") return await pdfText(bytes);
  if (/^image\/(?!svg)|^audio\/|^video\/|^font\/|zip|octet-stream/.test(type)) return undefined;
  const text = decodeText(bytes, contentType);
  if (text.includes("\0")) return undefined;
  if (/html/.test(type) || type === "" && /<html[\s>]/i.test(text.slice(0, 2000))) return await htmlText(text, url);
  if (/json$/.test(type)) return { title: undefined, text: prettyJson(text) };
  return { title: undefined, text };
}

async function htmlText(html: string, url: URL): Promise<PageText> {
  const { title, plain, article, main } = await readHtml(html, url);
  if (plain !== undefined) return { title, text: plain };
  // The tree of the page is already freed, because two trees would take twice the memory.
  const text = article?.content ? await markdownOf(article.content) : "";
  if (text.split(/\s+/).length >= LEAST_WORDS) return { title: article?.title?.trim() || title, text };
  return { title, text: await markdownOf(main) };
}

/** Reduces a page's tree to its HTML, or only to its text if it is too deep. */
async function readHtml(html: string, url: URL) {
  const document = await parseHtml(html);
  const title = document.querySelector("title")?.textContent?.trim() || undefined;
  for (const element of [...document.querySelectorAll(NO_TEXT)]) element.remove();
  const { depth, total } = sizeOf(document);
  if (depth > DEEPEST) return { title, plain: plainText(document), main: "" };
  makeAbsolute(document, url);
  const main = (mainOf(document) ?? document.body)?.innerHTML ?? html;
  return { title, main, article: total > LARGEST_TOTAL ? undefined : await articleOf(document) };
}

/** The only element that the page marks as its main content; undefined: there is none, or several. */
function mainOf(document: HtmlDocument): HtmlElement | undefined {
  for (const selector of ["main, [role=main]", "article"]) {
    const [only, ...more] = document.querySelectorAll(selector);
    if (only !== undefined && more.length === 0 && only.textContent?.trim()) return only;
  }
  return undefined;
}

async function articleOf(document: HtmlDocument) {
  const { default: { Readability } } = await import("@mozilla/readability");
  // The tree has the members of a browser's document that the package uses.
  const tree = document as unknown as ConstructorParameters<typeof Readability>[0];
  // The package passes all children of an element as arguments, which may be too many.
  return attempt(RangeError, () => new Readability(tree).parse());
}

function plainText({ body }: HtmlDocument): string {
  const lines = (body?.textContent ?? "").split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join("\n");
}

function makeAbsolute(document: HtmlDocument, base: URL): void {
  for (const [selector, attribute] of [["a[href]", "href"], ["img[src]", "src"]] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const value = element.getAttribute(attribute) ?? "";
      if (/^\s*(?:javascript|data):/i.test(value)) element.removeAttribute(attribute);
      else if (URL.canParse(value, base)) element.setAttribute(attribute, new URL(value, base).href);
    }
  }
}

async function pdfText(bytes: Uint8Array<ArrayBuffer>): Promise<PageText> {
  const { extractText, getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(bytes, { verbosity: 0 });
  try {
    const { text } = await extractText(document, { mergePages: false });
    return { title: undefined, text: text.map((page, index) => `Page ${index + 1}\n\n${page}`).join("\n\n") };
  } finally {
    await document.loadingTask.destroy();
  }
}

function prettyJson(text: string): string {
  return attempt(SyntaxError, () => JSON.stringify(JSON.parse(text), null, 2)) ?? text;
}
