import assert from "node:assert/strict";
import { fetchPage } from "./fetch_page.ts";
import { readBody } from "./read_body.ts";
import { type Network, sendRequest, withinTime } from "./request.ts";

const signal = new AbortController().signal;

Deno.test("K5 a name that leads elsewhere at the second look-up is asked for once, and its checked address is reached", async () => {
  await using web = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response("here"));
  let asked = 0;
  const network: Network = {
    // To the second question it would answer with another address.
    resolve: () => Promise.resolve([{ address: asked++ === 0 ? "127.0.0.1" : "10.0.0.1", family: 4 }]),
    isPublic: (address) => address === "127.0.0.1",
    allowedHosts: [],
  };
  const url = new URL(`http://rebound.example:${web.addr.port}/`);
  const { bytes } = await readBody(await sendRequest(network, { url, headers: {}, signal }), 100);
  assert.equal(new TextDecoder().decode(bytes), "here");
  assert.equal(asked, 1);
  await assert.rejects(
    sendRequest(network, { url, headers: {}, signal }),
    /its address 10.0.0.1 is of this machine or/,
  );
});

Deno.test("K5 a host of which one address is private is not reached at all", async () => {
  const network: Network = {
    resolve: () => Promise.resolve([{ address: "1.1.1.1", family: 4 }, { address: "127.0.0.1", family: 4 }]),
    isPublic: (address) => address === "1.1.1.1",
    allowedHosts: [],
  };
  const request = { url: "http://both.example/", acrossHosts: true, mostBytes: 1, userAgent: "x", signal };
  await assert.rejects(fetchPage(network, request), /its address 127.0.0.1/);
});

Deno.test("K5 only addresses of the web without a password are fetched", async () => {
  const network: Network = { resolve: () => Promise.resolve([]), isPublic: () => true, allowedHosts: [] };
  const fetching = (url: string) =>
    fetchPage(network, { url, acrossHosts: true, mostBytes: 1, userAgent: "x", signal });
  for (const url of ["file:///etc/passwd", "ftp://x/", "javascript:alert(1)", "gopher://x", "data:text/plain,x"]) {
    await assert.rejects(fetching(url), /only http and https are fetched/);
  }
  await assert.rejects(fetching("no address"), /it is not an address/);
  await assert.rejects(fetching("http://user:word@x.example/"), /user name/);
});

/** Ends with its signal only. */
function endless(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
}

Deno.test("K5 work on the web that takes too long is told in its own words, and a cancelled one as such", async () => {
  const late = { name: "UserError", message: "It took too long" };
  await assert.rejects(withinTime({ signal, seconds: 0.01, late: late.message }, endless), late);
  const cancelled = AbortSignal.abort(new Error("enough"));
  await assert.rejects(
    withinTime({ signal: cancelled, seconds: 60, late: late.message }, (one) => Promise.reject(one.reason)),
    /enough/,
  );
  assert.equal(await withinTime({ signal, seconds: 60, late: late.message }, () => Promise.resolve(1)), 1);
});
