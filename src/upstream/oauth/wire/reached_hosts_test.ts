import { strict as assert } from "node:assert";
import { UserError } from "../../../base/errors.ts";
import { reachedAddresses, systemLookup } from "./reached_hosts.ts";

const NAMES: Readonly<Record<string, readonly string[]>> = {
  "public.example": ["93.184.216.34", "2606:2800:220:1::1"],
  "loopback.example": ["127.0.0.1"],
  "six.example": ["::1"],
  "mapped.example": ["::ffff:10.0.0.1"],
  "linked.example": ["fe80::1%eth0"],
  "cloud.example": ["93.184.216.34", "169.254.169.254"],
  "office.example": ["10.1.2.3"],
  "benchmark.example": ["198.18.0.1"],
  "translated.example": ["64:ff9b::a00:1"],
  "tunnel.example": ["2002:7f00:1::"],
};

/** The addresses that a request to `url` is sent to. */
async function reached(url: string, server: string): Promise<readonly string[]> {
  const lookup = (name: string) => Promise.resolve((NAMES[name] ?? []).map((address) => ({ address, family: 0 })));
  const found = await reachedAddresses(new URL(url), new URL(server), { what: "An address", lookup });
  return found.map(({ address }) => address);
}

async function refusal(url: string, server = "https://public.example/mcp"): Promise<string | undefined> {
  try {
    await reached(url, server);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown.message;
    throw thrown;
  }
}

Deno.test("O3 a name of the outside that leads inside is refused, unless the server itself is inside", async () => {
  for (const name of ["loopback", "six", "mapped", "linked", "cloud", "office", "benchmark", "translated", "tunnel"]) {
    const why = `An address is refused: "${name}.example" leads to a private network, and "public.example" does not`;
    assert.deepStrictEqual([name, await refusal(`https://${name}.example/token`)], [name, why]);
    assert.deepStrictEqual([name, await refusal(`https://${name}.example/token`, "https://office.example/mcp")], [
      name,
      undefined,
    ]);
    assert.strictEqual(await refusal(`https://${name}.example/token`, "http://localhost:3000/mcp"), undefined);
  }
  const outside = [
    "https://public.example/",
    "https://unknown.example/",
    "https://93.184.216.34/",
    "https://[2606::1]/",
  ];
  for (const url of outside) assert.strictEqual(await refusal(url), undefined);
  const [url = ""] = outside;
  assert.deepStrictEqual(await reached(url, url), NAMES["public.example"]);
  assert.deepStrictEqual(await reached("https://office.example/", "https://office.example/mcp"), ["10.1.2.3"]);
});

Deno.test("O3 systemLookup() finds what connections find, and nothing for a name without an address", async () => {
  assert.ok((await systemLookup("localhost")).some(({ address }) => ["127.0.0.1", "::1"].includes(address)));
  assert.deepStrictEqual(await systemLookup("::1"), [{ address: "::1", family: 6 }]);
  assert.deepStrictEqual(await systemLookup("no-such-name.invalid"), []);
});
