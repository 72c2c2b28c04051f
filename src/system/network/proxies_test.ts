import { strict as assert } from "node:assert";
import { isProxied } from "./proxies.ts";

const PROXY = "http://proxy:3128";

/** Whether a request to `host` is proxied where the environment is this one alone. */
function proxied(environment: Readonly<Record<string, string>>, host = "auth.example", protocol = "https:"): boolean {
  return isProxied({ protocol, hostname: host }, (name) => environment[name]);
}

Deno.test("O3 isProxied() knows the variables of a proxy for each protocol, in both spellings", () => {
  const under = (name: string) => ["https:", "http:"].map((protocol) => proxied({ [name]: PROXY }, "x", protocol));
  assert.deepStrictEqual(["https_proxy", "HTTP_PROXY", "ALL_PROXY", "no_proxy"].map(under), [
    [true, false],
    [false, true],
    [true, true],
    [false, false],
  ]);
});

Deno.test("O3 isProxied() takes no value for a proxy that the runtime does not take for one", () => {
  const usable = [PROXY, "proxy:3128", "https://proxy", "HTTP://proxy/", "socks5h://u:p@proxy:1", "http://u:@proxy"];
  const others = ["", "socks4://proxy", "http://u@proxy", "ftp://proxy", "http://", "http://a b", "http://proxy/x"];
  assert.deepStrictEqual([...usable, ...others].filter((value) => proxied({ https_proxy: value })), usable);
});

Deno.test("O3 isProxied() leaves out every host that the runtime may ask without the proxy", () => {
  const direct = (list: string, host = "auth.example") => !proxied({ https_proxy: PROXY, no_proxy: list }, host);
  const leftOut = ["*", "example", ".example", "*.example", "auth.example", "a, auth.example", "AUTH.example"];
  assert.deepStrictEqual(leftOut.filter((list) => !direct(list)), []);
  const others = ["", "a,,", "h.example", "other.example", "auth.example.org", "xauth.example"];
  assert.deepStrictEqual(others.filter((list) => direct(list)), []);
  // The runtime finds the empty name at the end of the list in that of the root.
  assert.deepStrictEqual([direct("a,", "auth.example."), direct("a", "auth.example.")], [true, false]);
  assert.deepStrictEqual([proxied({ https_proxy: PROXY, NO_PROXY: "b", no_proxy: "auth.example" })], [false]);
});
