import assert from "node:assert/strict";
import { checkedAddress, reachedAddresses, systemLookup } from "./addresses.ts";
import { UserError } from "../../../base/errors.ts";

const PUBLIC = new URL("https://mcp.example/mcp");
const LOCAL = new URL("http://127.0.0.1:3000/mcp");

Deno.test("O3 checkedAddress() lets https through, and http on this machine only", () => {
  const good = ["https://auth.example/authorize?a=b%20c", "https://[2606:4700::1111]/x"];
  assert.deepStrictEqual(good.map((address) => checkedAddress(address, PUBLIC, "It").href), good);
  const here = ["http://localhost:9/x", "http://[::1]:9/x", "https://10.0.0.1/x"];
  assert.deepStrictEqual(here.map((address) => checkedAddress(address, LOCAL, "It").href), here);
});

Deno.test("O3 checkedAddress() refuses what a browser or a shell could take for something else", () => {
  const bad = [
    ["javascript:alert(1)", "is neither https nor on this machine"],
    ["file:///etc/passwd", "is neither https nor on this machine"],
    ["http://evil.example/", "is neither https nor on this machine"],
    ["http://localhost.evil.example/", "is neither https nor on this machine"],
    ["https://evil.example/;touch x", "is not an address"],
    ["https://evil.example/\n--flag", "is not an address"],
    ["--version", "is not an address"],
    [`https://evil.example/${"x".repeat(9000)}`, "is not an address"],
    ["https://user:word@auth.example/", "holds a user name"],
    ["https://192.168.1.1/", 'is on a private network, and "mcp.example" is not'],
    ["https://169.254.169.254/latest", 'is on a private network, and "mcp.example" is not'],
    ["https://[fd00::1]/", 'is on a private network, and "mcp.example" is not'],
    ["https://[::ffff:127.0.0.1]/", 'is on a private network, and "mcp.example" is not'],
    ["http://localhost/", 'is on a private network, and "mcp.example" is not'],
    ...["198.18.0.1", "240.0.0.1", "192.0.0.192", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fec0::1]", "[5f00::1]"].map(
      (host) => [`https://${host}/`, 'is on a private network, and "mcp.example" is not'] as const,
    ),
    ["https://localhost./", 'is on a private network, and "mcp.example" is not'],
    ["https://0x7f000001/", 'is on a private network, and "mcp.example" is not'],
  ] as const;
  for (const [address, why] of bad) {
    const problem = (thrown: Error) => thrown.message.startsWith("It is refused: ") && thrown.message.endsWith(why);
    assert.throws(() => checkedAddress(address, PUBLIC, "It"), problem, address);
  }
});

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
