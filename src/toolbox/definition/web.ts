/** Tools for the web (K5). */
import { choice, flag, integer, REQUIRED, text } from "./kinds.ts";
import type { ToolDefinition } from "./tool_definition.ts";

export const WEB_TOOLS = [
  {
    name: "web_fetch",
    title: "Fetch a web page",
    description: "Fetches an address: the article of HTML as Markdown, PDF as text, JSON and text unchanged, small " +
      "images as images. Long texts come in parts. Refuses addresses of this machine and of private networks.",
    parameters: [
      text("url", "http or https.", REQUIRED),
      integer("offset", { least: 0 }, "Characters to skip."),
      integer("limit", { least: 1, most: 200_000 }, "Characters. Default 20000."),
      flag("raw", "The source instead of Markdown."),
      flag("follow_redirects", "Also to other hosts."),
      integer("timeout", { least: 1, most: 120 }, "Seconds. Default 30."),
      integer("max_content_length", { least: 1024, most: 10 * 1024 * 1024 }, "Most bytes to read. Default 2 MiB."),
      text("user_agent"),
    ],
    readOnly: true,
    openWorld: true,
  },
  {
    name: "web_search",
    title: "Search the web",
    description: "Searches the web and lists titles, addresses and excerpts; web_fetch reads a page.",
    parameters: [
      text("query", "", REQUIRED),
      integer("results_count", { least: 1, most: 50 }, "Default 10."),
      text("language", "E.g. en."),
      choice("time_range", ["day", "week", "month", "year"]),
      integer("safe_search", { least: 0, most: 2 }, "Default 1."),
    ],
    readOnly: true,
    openWorld: true,
  },
] as const satisfies readonly ToolDefinition[];
