/** The code of the web tools. */
import type { NativeTool } from "../project/native_tool.ts";
import { webFetch } from "./web_fetch.ts";
import { webSearch } from "./web_search.ts";

export const TOOLS: Readonly<Record<string, NativeTool>> = { web_fetch: webFetch, web_search: webSearch };
