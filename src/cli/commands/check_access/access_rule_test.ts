import assert from "node:assert/strict";
import { parseNameList } from "../../../base/network/name_list.ts";
import { hostVerdict } from "./access_rule.ts";

function reach(host: string, port: number | undefined, list: string): string {
  const names = parseNameList(list);
  assert.ok(names.ok);
  const { allowed, rule, flags } = hostVerdict({ host, port }, { network: "names", names: names.value });
  return `${allowed} ${rule} ${flags.join()}`;
}

Deno.test("L10 hostVerdict() asks the list for a port, or for those of the web", () => {
  assert.equal(
    reach("a.example.org", undefined, "*.example.org"),
    'true "*.example.org:443,80" is on the list of --network ',
  );
  assert.equal(
    reach("a.example.org", 22, "*.example.org"),
    "false it is not on the list of --network --network ...,a.example.org:22",
  );
  assert.equal(
    reach("example.org", undefined, "*.example.org"),
    "false it is not on the list of --network --network ...,example.org",
  );
  assert.equal(reach("github.com", 22, "git-hosts"), 'true "github.com:22/any" is on the list of --network ');
  assert.deepEqual(hostVerdict({ host: "x.org", port: 1 }, { network: "full", names: [] }), {
    allowed: true,
    rule: "--network full opens every address",
    flags: [],
  });
  for (const network of ["none", "localhost"] as const) {
    const { allowed, flags } = hostVerdict({ host: "x.org", port: undefined }, { network, names: [] });
    assert.deepEqual([allowed, flags], [false, ["--network x.org"]]);
    assert.deepEqual(hostVerdict({ host: "x.org", port: 22 }, { network, names: [] }).flags, ["--network x.org:22"]);
  }
});

Deno.test("L10 hostVerdict() names a flag that opens an address of IPv6 on its port", () => {
  const { flags: [flag = ""] } = hostVerdict({ host: "2001:db8::2", port: 443 }, { network: "names", names: [] });
  assert.equal(reach("2001:db8::2", 443, flag.replace("--network ...,", "")).slice(0, 5), "true ");
});
