import { strict as assert } from "node:assert";
import { isProxied, oauthFetch } from "./oauth_fetch.ts";

Deno.test("O3 oauthFetch() sends a request to the address that was checked, whatever the name leads to by then", async () => {
  const heard: unknown[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    heard.push([request.headers.get("host"), request.headers.get("content-type"), await request.text()]);
    return Response.json({ access_token: "x" }, { status: 201 });
  });
  const host = `localhost:${server.addr.port}`;
  const fetchAt = (...addresses: readonly string[]) =>
    oauthFetch({
      server: new URL(`http://${host}/mcp`),
      timeoutMs: 120_000,
      reach: () => Promise.resolve(addresses.map((address) => ({ address, family: 4 }))),
    })(`http://${host}/token`, { method: "POST", body: new URLSearchParams({ grant_type: "a b" }) });
  for (const addresses of [["127.0.0.1"], ["127.0.0.2", "127.0.0.1"]]) {
    const response = await fetchAt(...addresses);
    assert.deepStrictEqual([response.status, await response.json()], [201, { access_token: "x" }]);
  }
  const form = [host, "application/x-www-form-urlencoded;charset=UTF-8", "grant_type=a+b"];
  assert.deepStrictEqual(heard, [form, form]);
  // Nothing listens there, and the name leads to the server.
  await assert.rejects(fetchAt("127.0.0.2"), { name: "OAuthServerError" });
  const why = `Cannot ask "http://${host}/token": the name of its host leads to no address`;
  await assert.rejects(fetchAt(), { name: "OAuthServerError", message: why });
  assert.deepStrictEqual(heard.length, 2);
});

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
