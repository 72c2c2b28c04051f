import assert from "node:assert/strict";
import { failedPage, pageResponse } from "./callback_listener.ts";

Deno.test("O3 pageResponse() shows foreign text as text, without scripts, and keeps nothing", async () => {
  const response = pageResponse(failedPage(`<script>x('"')</script>&`));
  const text = await response.text();
  assert.ok(text.includes("<p>&#60;script&#62;x(&#39;&#34;&#39;)&#60;/script&#62;&#38;. The terminal"), text);
  const names = ["cache-control", "content-security-policy", "referrer-policy"];
  assert.deepStrictEqual([response.status, ...names.map((name) => response.headers.get(name))], [
    400,
    "no-store",
    "default-src 'none'; frame-ancestors 'none'",
    "no-referrer",
  ]);
});
