/** What a model reads of a page: Markdown of its article, or its text as it is (K5). Parsing happens in the worker only. */
import { type HtmlDocument, type HtmlElement, parseHtml, sizeOf } from "./html.ts";
import { markdownOf } from "./markdown.ts";
import { decodeText } from "./read_body.ts";

/** A page as text. */
export interface PageText {
  /** Undefined: it has none. */
  readonly title: string | undefined;
  readonly text: string;
}

/** What holds no text for readers. */
const NO_TEXT = "body title, script, style, noscript, template, iframe, svg";
/** An article of fewer words is taken for a part of the page. */
const LEAST_WORDS = 200;
/** A deeper tree has its text without its form: what goes through it calls itself for each level. */
const DEEPEST = 400;
/** No article is looked for in a larger tree, which would take more than about two seconds. */
const LARGEST_TOTAL = 250_000;

/** The text of a page; undefined: it is none, as a picture or an archive. */
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
  const document = await parseHtml(html);
  const title = document.querySelector("title")?.textContent?.trim() || undefined;
  for (const element of [...document.querySelectorAll(NO_TEXT)]) element.remove();
  const { depth, total } = sizeOf(document);
  if (depth > DEEPEST) return { title, text: plainText(document) };
  makeAbsolute(document, url);
  const whole = await markdownOf((mainOf(document) ?? document.body)?.innerHTML ?? html);
  if (total > LARGEST_TOTAL) return { title, text: whole };
  const article = await articleOf(document);
  const text = article?.content ? await markdownOf(article.content) : "";
  const isArticle = text.split(/\s+/).length >= LEAST_WORDS;
  return { title: article?.title?.trim() || title, text: isArticle ? text : whole };
}

/** The one part that the page marks as its own text; undefined: it marks none, or several. */
function mainOf(document: HtmlDocument): HtmlElement | undefined {
  for (const selector of ["main, [role=main]", "article"]) {
    const [only, ...more] = document.querySelectorAll(selector);
    if (only !== undefined && more.length === 0 && only.textContent?.trim()) return only;
  }
  return undefined;
}

async function articleOf(document: HtmlDocument) {
  const { default: { Readability } } = await import("@mozilla/readability");
  try {
    // The tree has what the package uses of a browser's document.
    return new Readability(document as unknown as ConstructorParameters<typeof Readability>[0]).parse();
  } catch (thrown) {
    // The package of the tree passes all children of an element as arguments.
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
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
  const { text } = await extractText(await getDocumentProxy(bytes, { verbosity: 0 }), { mergePages: false });
  return { title: undefined, text: text.map((page, index) => `Page ${index + 1}\n\n${page}`).join("\n\n") };
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return text;
    throw thrown;
  }
}
