import { strict as assert } from "node:assert";
import { oauthFetch } from "./oauth_fetch.ts";

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
