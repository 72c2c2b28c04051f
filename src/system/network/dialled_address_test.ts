import assert from "node:assert/strict";
import { words } from "../../base/text.ts";
import { reachedAddress } from "./address_class.ts";
import { dialProblem } from "./dialled_address.ts";

const STRICT = { allowsPrivateHosts: false, own: [] };
const PRIVATE = { allowsPrivateHosts: true, own: [] };

Deno.test("S31 connections go to the internet, and elsewhere where a person allowed the host, yet never to its neighbours or secrets", () => {
  const addresses = "8.8.8.8 2606:4700::1 10.0.0.1 100.64.0.1 fd12::1 127.0.0.1 0.0.0.0 ::1 169.254.1.1 fe80::1 " +
    "169.254.169.254 100.100.100.200 168.63.129.16 fd00:ec2::254 224.0.0.1 255.255.255.255 198.18.0.10 2001:2::c612:a " +
    "192.0.2.1 2002:a00:1:: 64:ff9b:1::a00:1 ::ffff:127.0.0.1";
  const allowed = (rules: typeof STRICT) => addresses.split(" ").filter((one) => dialProblem(one, rules) === undefined);
  assert.deepStrictEqual(allowed(STRICT), ["8.8.8.8", "2606:4700::1"]);
  assert.deepStrictEqual(
    allowed(PRIVATE),
    words(
      "8.8.8.8 2606:4700::1 10.0.0.1 100.64.0.1 fd12::1 127.0.0.1 0.0.0.0 ::1 255.255.255.255 198.18.0.10",
      "2001:2::c612:a 192.0.2.1 2002:a00:1:: 64:ff9b:1::a00:1 ::ffff:127.0.0.1",
    ),
  );
  assert.deepStrictEqual(["10.0.0.1", "169.254.169.254", "github.com"].map((one) => dialProblem(one, STRICT)), [
    { what: "an address of a private network", canBeAllowed: true },
    { what: "an address where a cloud keeps secrets of its machines", canBeAllowed: false },
    { what: "not an address", canBeAllowed: false },
  ]);
});

Deno.test("S31 an address of this machine is one in every spelling, whatever its network", () => {
  const rules = { allowsPrivateHosts: false, own: parsed("10.0.0.7 93.184.216.34 2606:4700::7 fe80::7%eth0") };
  const own = "10.0.0.7 ::ffff:10.0.0.7 ::ffff:a00:7 64:ff9b::10.0.0.7 93.184.216.34 2606:4700:0::7";
  assert.deepStrictEqual(
    own.split(" ").filter((one) => dialProblem(one, rules)?.what !== "an address of this machine"),
    [],
  );
  assert.deepStrictEqual(
    ["93.184.216.34", "93.184.216.35"].map((one) =>
      dialProblem(one, { ...rules, own: parsed("93.184.216.34"), allowsPrivateHosts: one.endsWith("4") })
    ),
    [undefined, undefined],
  );
});

function parsed(list: string) {
  return words(list).flatMap((one) => reachedAddress(one) ?? []);
}
