/** HTML as Markdown (K5). */
import { type HtmlElement, parseHtml } from "./html.ts";

/** The Markdown of a body's contents. */
export async function markdownOf(html: string): Promise<string> {
  const { default: Turndown } = await import("turndown");
  const { highlightedCodeBlock, strikethrough, taskListItems } = await import("turndown-plugin-gfm");
  const { body } = await parseHtml(`<!doctype html><html><body>${html}</body></html>`);
  const service = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", hr: "---" });
  service.use([highlightedCodeBlock, strikethrough, taskListItems]);
  // The package needs well-formed tables with a browser's `rows`.
  service.addRule("cell", { filter: ["th", "td"], replacement: cell });
  service.addRule("row", { filter: "tr", replacement: row });
  service.addRule("rows", { filter: ["thead", "tbody", "tfoot"], replacement: (content: string) => content });
  service.addRule("table", { filter: "table", replacement: (content: string) => `\n\n${content.trim()}\n\n` });
  const numbers = new Map<HtmlElement | null, number>();
  service.addRule("item", {
    filter: "li",
    replacement: (content: string, element: HtmlElement) => item(content, element, numbers),
  });
  // Avoids the package's copy of the tree, which would take twice the memory.
  if (body !== null) Object.assign(body, { cloneNode: () => body });
  // The same tree again, which the package reads as it reads a browser's.
  const markdown = service.turndown(body as unknown as Parameters<typeof service.turndown>[0]);
  return markdown.replaceAll(/\n{3,}/g, "\n\n").trim();
}

/** Writes one blank after the marker, not three as the package does; `last` has the number of each list. */
function item(content: string, { parentElement: list }: HtmlElement, last: Map<HtmlElement | null, number>): string {
  let mark = "- ";
  if (list?.nodeName === "OL") {
    const number = (last.get(list) ?? (Number.parseInt(list.getAttribute("start") ?? "1") || 1) - 1) + 1;
    last.set(list, number);
    mark = `${number}. `;
  }
  const text = content.replaceAll(/^\n+|\n+$/g, "").replaceAll(/\n(?=[^\n])/g, `\n${" ".repeat(mark.length)}`);
  return `${mark}${text}\n`;
}

function cell(content: string): string {
  const lines = content.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return `| ${lines.join(" ").replaceAll("|", "\\|")} `;
}

/** The first row of a table is its head, with any kind of cells. */
function row(content: string, element: HtmlElement): string {
  const line = `\n${content.trim()} |`;
  if (element.closest("table")?.querySelector("tr") !== element) return line;
  const cells = [...element.childNodes].filter(({ nodeName }) => nodeName === "TH" || nodeName === "TD");
  return `${line}\n${"| --- ".repeat(cells.length)}|`;
}
