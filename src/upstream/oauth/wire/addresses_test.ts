import assert from "node:assert/strict";
import { checkedAddress, isPrivateHost } from "./addresses.ts";

const PUBLIC = new URL("https://mcp.example/mcp");
const LOCAL = new URL("http://127.0.0.1:3000/mcp");

Deno.test("O3 checkedAddress() lets https through, and http on this machine only", () => {
  const good = ["https://auth.example/authorize?a=b%20c", "https://[2001:db8::1]/x"];
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
    ["https://evil.example/;touch x", "is no address"],
    ["https://evil.example/\n--flag", "is no address"],
    ["--version", "is no address"],
    [`https://evil.example/${"x".repeat(9000)}`, "is no address"],
    ["https://user:word@auth.example/", "holds a user name"],
    ["https://192.168.1.1/", 'is on a private network, and "mcp.example" is not'],
    ["https://169.254.169.254/latest", 'is on a private network, and "mcp.example" is not'],
    ["https://[fd00::1]/", 'is on a private network, and "mcp.example" is not'],
    ["https://[::ffff:127.0.0.1]/", 'is on a private network, and "mcp.example" is not'],
    ["http://localhost/", 'is on a private network, and "mcp.example" is not'],
    ["https://0x7f000001/", 'is on a private network, and "mcp.example" is not'],
  ] as const;
  for (const [address, why] of bad) {
    const problem = (thrown: Error) => thrown.message.startsWith("It is refused: ") && thrown.message.endsWith(why);
    assert.throws(() => checkedAddress(address, PUBLIC, "It"), problem, address);
  }
});

Deno.test("O3 isPrivateHost() knows names and numbers of private networks", () => {
  const hosts = ["10.1.2.3", "172.16.0.1", "172.31.9.9", "100.64.0.1", "[fe80::1]", "nas.local", "intranet"];
  assert.deepStrictEqual(hosts.filter((host) => !isPrivateHost(host)), []);
  const others = ["172.32.0.1", "11.0.0.1", "100.128.0.1", "mcp.example", "10.example.org", "[2606::1]"];
  assert.deepStrictEqual(others.filter(isPrivateHost), []);
});
