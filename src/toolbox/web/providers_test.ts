import assert from "node:assert/strict";
import { chosenProvider, type SearchQuery } from "./providers.ts";

const QUERY: SearchQuery = { text: "a b", count: 3, language: "en", timeRange: "week", safeSearch: 1 };

Deno.test("K5 each service is asked at its address with its key, the user's own before all", () => {
  const asked = [
    chosenProvider({ searxng: "http://10.0.0.1/search-here", brave: "K" }),
    chosenProvider({ brave: "K", exa: "E" }),
    chosenProvider({ tavily: "K" }),
    chosenProvider({ exa: "K" }),
    chosenProvider({}),
  ].map((provider) => {
    const { url, headers } = provider.request(QUERY);
    return [provider.name, url.href, Object.values(headers).some((value) => /\bK$/.test(value)), provider.ownHost];
  });
  const searxng = "http://10.0.0.1/search-here/search?q=a+b&format=json&language=en&time_range=week&safesearch=1";
  const brave = "https://api.search.brave.com/res/v1/web/search" +
    "?q=a+b&count=3&search_lang=en&freshness=pw&safesearch=moderate";
  assert.deepEqual(asked, [
    ["SearXNG", searxng, false, ["10.0.0.1"]],
    ["Brave", brave, true, undefined],
    ["Tavily", "https://api.tavily.com/search", true, undefined],
    ["Exa", "https://api.exa.ai/search", true, undefined],
    ["DuckDuckGo", "https://html.duckduckgo.com/html/?q=a+b&kp=-1", false, undefined],
  ]);
});

Deno.test("K5 a public search page is read, and its question for a person is no empty result", async () => {
  const provider = chosenProvider({});
  const page =
    `<div class="result"><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fx.example%2F">T</a>
    <a class="result__snippet">words</a></div>`;
  assert.deepEqual(await provider.hits(page), [{ title: "T", url: "https://x.example/", excerpt: "words" }]);
  await assert.rejects(provider.hits('<div class="anomaly-modal">'), /asks whether a person searches/);
});

Deno.test("K5 what is no list of results is told", () => {
  assert.throws(() => chosenProvider({ brave: "K" }).hits("<html>"), /Brave did not answer with a list of results/);
});
