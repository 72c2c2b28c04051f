import assert from "node:assert/strict";
import { isWithin } from "../../system/paths.ts";
import { systemPaths } from "./system_paths.ts";

/** Keys and credentials of the machine, which root could read: readable files next to what commands need. */
const KEYS: readonly string[] = [
  "/etc/letsencrypt",
  "/etc/pki/consumer/key.pem",
  "/etc/pki/entitlement/1-key.pem",
  "/etc/pki/nssdb/key4.db",
  "/etc/pki/tls/private/localhost.key",
  "/etc/shadow",
  "/etc/ssh/ssh_host_ed25519_key",
  "/etc/ssl/private/server.key",
  "/etc/sudoers",
];

const NEEDED: readonly string[] = ["/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/certs/ca.pem", "/etc/ssl/openssl.cnf"];

for (const ownProc of [true, false]) {
  Deno.test(`S4 systemPaths() grants certificates and none of the machine's keys, ${ownProc ? "with" : "without"} /proc`, () => {
    const granted = (path: string) => systemPaths({ ownProc }).some((one) => isWithin(path, one.path));
    assert.deepStrictEqual([KEYS.filter(granted), NEEDED.filter(granted)], [[], NEEDED]);
  });
}
