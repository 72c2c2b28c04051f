import { strict as assert } from "node:assert";
import { isProxied } from "./proxies.ts";

Deno.test("O3 isProxied() knows the variables of a proxy for each protocol, in both spellings", () => {
  const under = (name: string, value = "http://proxy:3128") =>
    ["https:", "http:"].map((protocol) => isProxied({ protocol }, (asked) => asked === name ? value : undefined));
  assert.deepStrictEqual(["https_proxy", "HTTP_PROXY", "ALL_PROXY", "no_proxy"].map((name) => under(name)), [
    [true, false],
    [false, true],
    [true, true],
    [false, false],
  ]);
  assert.deepStrictEqual(under("https_proxy", ""), [false, false]);
});
