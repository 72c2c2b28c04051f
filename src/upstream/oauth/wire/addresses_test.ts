import assert from "node:assert/strict";
import { checkedAddress } from "./addresses.ts";

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
