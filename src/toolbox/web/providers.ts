/** Search services: their requests and answers (K5). */
import { UserError } from "../../base/errors.ts";
import { isObject, member, parseJson } from "../../wire/json_value.ts";
import type { SearchKeys } from "../frame/messages.ts";
import { parseHtml } from "./html.ts";
import type { WebRequest } from "./request.ts";

export interface SearchQuery {
  readonly text: string;
  readonly count: number;
  /** As `en`; undefined: any. */
  readonly language: string | undefined;
  readonly timeRange: "day" | "week" | "month" | "year" | undefined;
  /** From 0, off, to 2, strict. */
  readonly safeSearch: number;
}

export interface Hit {
  readonly title: string;
  readonly url: string;
  readonly excerpt: string;
}

export interface Provider {
  readonly name: string;
  /** Hosts that the user named and that may be private; absent: the service is public. */
  readonly ownHost?: readonly string[];
  request(query: SearchQuery): Omit<WebRequest, "signal">;
  /** @throws {UserError} When the answer does not come from the service. */
  hits(text: string): Promise<readonly Hit[]>;
}

/** The first service with a key or address; without any, a public page that may refuse programs. */
export function chosenProvider(keys: SearchKeys): Provider {
  if (keys.searxng !== undefined) return searxng(keys.searxng);
  if (keys.brave !== undefined) return brave(keys.brave);
  if (keys.tavily !== undefined) return tavily(keys.tavily);
  if (keys.exa !== undefined) return exa(keys.exa);
  return DUCKDUCKGO;
}

function searxng(address: string): Provider {
  if (!URL.canParse(address)) throw new UserError(`Flag "--search-url" is not an address: "${address}"`);
  const base = new URL(address);
  return {
    name: "SearXNG",
    ownHost: [base.hostname],
    request({ text, language, timeRange, safeSearch }) {
      const url = new URL("search", base.href.endsWith("/") ? base : `${base}/`);
      setAll(url, { q: text, format: "json", language, time_range: timeRange, safesearch: String(safeSearch) });
      return { url, headers: JSON_ONLY };
    },
    hits: (text) => Promise.resolve(listIn(text, "SearXNG", ["results"], { excerpt: "content" })),
  };
}

function brave(key: string): Provider {
  return {
    name: "Brave",
    request({ text, count, language, timeRange, safeSearch }) {
      const url = new URL("https://api.search.brave.com/res/v1/web/search");
      const freshness = timeRange && { day: "pd", week: "pw", month: "pm", year: "py" }[timeRange];
      const safesearch = ["off", "moderate", "strict"][safeSearch];
      setAll(url, { q: text, count: String(Math.min(count, 20)), search_lang: language, freshness, safesearch });
      return { url, headers: { ...JSON_ONLY, "x-subscription-token": key } };
    },
    hits: (text) => Promise.resolve(listIn(text, "Brave", ["web", "results"], { excerpt: "description" })),
  };
}

function tavily(key: string): Provider {
  return {
    name: "Tavily",
    request: ({ text, count, timeRange }) => ({
      url: new URL("https://api.tavily.com/search"),
      headers: { ...JSON_ONLY, "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({
        query: text,
        max_results: Math.min(count, 20),
        ...timeRange && { time_range: timeRange },
      }),
    }),
    hits: (text) => Promise.resolve(listIn(text, "Tavily", ["results"], { excerpt: "content" })),
  };
}

function exa(key: string): Provider {
  return {
    name: "Exa",
    request: ({ text, count }) => ({
      url: new URL("https://api.exa.ai/search"),
      headers: { ...JSON_ONLY, "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({ query: text, numResults: count, contents: { text: { maxCharacters: 400 } } }),
    }),
    hits: (text) => Promise.resolve(listIn(text, "Exa", ["results"], { excerpt: "text" })),
  };
}

const DUCKDUCKGO: Provider = {
  name: "DuckDuckGo",
  request({ text, safeSearch }) {
    const url = new URL("https://html.duckduckgo.com/html/");
    setAll(url, { q: text, kp: ["-2", "-1", "1"][safeSearch] });
    return { url, headers: { accept: "text/html", "user-agent": "Mozilla/5.0 (compatible; ahma_mcp)" } };
  },
  async hits(html) {
    const document = await parseHtml(html);
    const links = [...document.querySelectorAll("a.result__a")];
    if (links.length === 0 && /anomaly|captcha|challenge/i.test(html)) {
      throw new UserError(
        "DuckDuckGo asks whether a person searches, so there are no results. " +
          "Set AHMA_SEARCH_URL, BRAVE_API_KEY, TAVILY_API_KEY or EXA_API_KEY for the server",
      );
    }
    return links.map((link) => ({
      title: link.textContent ?? "",
      url: targetOf(link.getAttribute("href") ?? ""),
      excerpt: link.closest(".result")?.querySelector(".result__snippet")?.textContent ?? "",
    }));
  },
};

const JSON_ONLY = { accept: "application/json" };

/** The target of a result link of the service. */
function targetOf(href: string): string {
  const url = URL.canParse(href, "https://duckduckgo.com") ? new URL(href, "https://duckduckgo.com") : undefined;
  return url?.searchParams.get("uddg") ?? url?.href ?? href;
}

function setAll(url: URL, values: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(values)) if (value !== undefined) url.searchParams.set(name, value);
}

function listIn(
  text: string,
  name: string,
  path: readonly string[],
  { excerpt }: { readonly excerpt: string },
): readonly Hit[] {
  const read = parseJson(text);
  const list = read.ok ? path.reduce<unknown>(member, read.value) : undefined;
  if (!Array.isArray(list)) {
    throw new UserError(
      `${name} did not answer with a list of results${
        name === "SearXNG" ? "; its settings must allow the format json" : ""
      }`,
    );
  }
  return list.filter(isObject).flatMap((one) => {
    const url = one["url"];
    if (typeof url !== "string") return [];
    return [{ title: String(one["title"] ?? url), url, excerpt: String(one[excerpt] ?? "") }];
  });
}
