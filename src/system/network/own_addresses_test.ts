import assert from "node:assert/strict";
import { OwnAddresses } from "./own_addresses.ts";

Deno.test("S31 the addresses of this machine are read again only when they have changed", () => {
  using own = new OwnAddresses();
  const first = own.now();
  assert.ok(first.some(({ version, value }) => version === 4 && value === LOOPBACK));
  assert.strictEqual(own.now(), first);
});

Deno.test("S31 an address that this machine gets is its own at once", async () => {
  const words = ["--user", "--map-root-user", "--net", Deno.execPath(), "eval", "--no-lock", IN_A_NETWORK];
  const { stdout, stderr } = await new Deno.Command("unshare", { args: words }).output();
  assert.equal(new TextDecoder().decode(stdout), "0 1 2\n", new TextDecoder().decode(stderr));
});

const LOOPBACK = 0x7f00_0001n;

/** Prints how many addresses there are at first, with the loopback, and with one more. */
const IN_A_NETWORK = `
import { OwnAddresses } from "${import.meta.resolve("./own_addresses.ts")}";
const own = new OwnAddresses();
const change = (request, text) => {
  const code = "import fcntl, socket, sys; fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), " +
    "int(sys.argv[1]), bytes.fromhex(sys.argv[2]))";
  new Deno.Command("python3", { args: ["-c", code, String(request), text] }).outputSync();
};
const name = (text) => [...new TextEncoder().encode(text.padEnd(16, "\\0"))].map((b) => b.toString(16).padStart(2, "0")).join("");
const counts = [own.now().length];
change(${0x8914}, name("lo") + "4100" + "00".repeat(22)); // SIOCSIFFLAGS: IFF_UP, IFF_RUNNING
counts.push(own.now().filter(({ version }) => version === 4).length);
change(${0x8916}, name("lo:1") + "0200" + "0000" + "0a090909" + "00".repeat(16)); // SIOCSIFADDR
counts.push(own.now().filter(({ version }) => version === 4).length);
console.log(counts.join(" "));
`;
