/** Tools for the web (K5). */
import type { ToolDefinition } from "./tool_definition.ts";

export const WEB_TOOLS: readonly ToolDefinition[] = [
  {
    name: "web_fetch",
    title: "Fetch a web page",
    description: "Fetches an address: HTML as Markdown of its article, PDF as text, JSON and text as they are, small " +
      "images as images. Long texts come in parts. Addresses of this machine and of private networks are refused.",
    parameters: [
      { name: "url", type: { kind: "text" }, description: "http or https.", required: true },
      { name: "offset", type: { kind: "integer", least: 0 }, description: "Characters to leave out." },
      { name: "limit", type: { kind: "integer", least: 1, most: 200_000 }, description: "Characters. Default 20000." },
      { name: "raw", type: { kind: "flag" }, description: "The source instead of Markdown." },
      { name: "follow_redirects", type: { kind: "flag" }, description: "Also to other hosts." },
      { name: "timeout", type: { kind: "integer", least: 1, most: 120 }, description: "Seconds. Default 30." },
      {
        name: "max_content_length",
        type: { kind: "integer", least: 1024, most: 10 * 1024 * 1024 },
        description: "Bytes that are read. Default 2 MiB.",
      },
      { name: "user_agent", type: { kind: "text" }, description: "" },
    ],
    readOnly: true,
    openWorld: true,
  },
  {
    name: "web_search",
    title: "Search the web",
    description: "Searches the web and lists titles, addresses and excerpts; web_fetch reads a page.",
    parameters: [
      { name: "query", type: { kind: "text" }, description: "", required: true },
      { name: "results_count", type: { kind: "integer", least: 1, most: 50 }, description: "Default 10." },
      { name: "language", type: { kind: "text" }, description: "As in en." },
      { name: "time_range", type: { kind: "choice", values: ["day", "week", "month", "year"] }, description: "" },
      { name: "safe_search", type: { kind: "integer", least: 0, most: 2 }, description: "Default 1." },
    ],
    readOnly: true,
    openWorld: true,
  },
];
