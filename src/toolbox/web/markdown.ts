/** HTML as Markdown (K5). */
import { type HtmlElement, parseHtml } from "./html.ts";

/** The Markdown of what stands in a body. */
export async function markdownOf(html: string): Promise<string> {
  const { default: Turndown } = await import("turndown");
  const { highlightedCodeBlock, strikethrough, taskListItems } = await import("turndown-plugin-gfm");
  const { body } = await parseHtml(`<!doctype html><html><body>${html}</body></html>`);
  const service = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  service.use([highlightedCodeBlock, strikethrough, taskListItems]);
  // The tables of the package need `rows` of a browser, and well-formed ones.
  service.addRule("cell", { filter: ["th", "td"], replacement: cell });
  service.addRule("row", { filter: "tr", replacement: row });
  service.addRule("rows", { filter: ["thead", "tbody", "tfoot"], replacement: (content: string) => content });
  service.addRule("table", { filter: "table", replacement: (content: string) => `\n\n${content.trim()}\n\n` });
  // The same tree again, which the package reads as it reads a browser's.
  const markdown = service.turndown(body as unknown as Parameters<typeof service.turndown>[0]);
  return markdown.replaceAll(/\n{3,}/g, "\n\n").trim();
}

function cell(content: string): string {
  const lines = content.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return `| ${lines.join(" ").replaceAll("|", "\\|")} `;
}

/** The first row of a table is its head, whatever its cells are. */
function row(content: string, element: HtmlElement): string {
  const line = `\n${content.trim()} |`;
  if (element.closest("table")?.querySelector("tr") !== element) return line;
  const cells = [...element.childNodes].filter(({ nodeName }) => nodeName === "TH" || nodeName === "TD");
  return `${line}\n${"| --- ".repeat(cells.length)}|`;
}
