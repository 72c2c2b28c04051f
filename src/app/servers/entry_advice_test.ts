import { strict as assert } from "node:assert";
import type { Denial } from "../../base/command/denial.ts";
import { entrySentence } from "./entry_advice.ts";

const FACTS = { server: "fs", scopes: ["/work"], named: ["/data"], readsScope: true };

/** What the sentence says after the name of the server. */
function advice(denial: Partial<Denial>, facts: object = {}): string {
  const whole = { scope: [], flags: [], ...denial } as Denial; // the table has what each kind needs
  return entrySentence(whole, { ...FACTS, ...facts });
}

Deno.test("S15 O6 entrySentence() names the field that opens a place, the widest that the entry names itself", () => {
  const closed = {
    path: "/data/a/b",
    access: ["read", "write"],
    flags: ["--read /data/a/b", "--write /data/a"],
  } as const;
  const opens = (fields: string) => ` A person can allow it: ${fields} in the entry of "fs".`;
  assert.deepStrictEqual(
    [
      advice(closed),
      advice(closed, { named: [] }),
      advice({ path: "/home/x", access: ["read", "write"], flags: ["--write /home"] }),
      advice({ path: "/work/x", access: ["read", "write"], flags: [] }),
      advice({ path: "/work/x", access: ["read", "write"], flags: [] }, { readsScope: false }),
      advice({ path: "/usr/x", access: ["write"], flags: [] }),
    ],
    [
      `Server "fs" can neither read nor change "/data/a/b".${opens('"read": ["/data"] or "write": ["/data"]')}`,
      `Server "fs" can neither read nor change "/data/a/b".${opens('"read": ["/data/a/b"] or "write": ["/data/a"]')}`,
      `Server "fs" can read but not change "/home/x".${opens('"write": ["/home"]')}`,
      `Server "fs" can read but not change "/work/x".${opens('"write": ["scope"]')}`,
      `Server "fs" can neither read nor change "/work/x".${opens('"readScope": true')}`,
      'Server "fs" can read but not change "/usr/x".',
    ],
  );
});

Deno.test("S15 O6 entrySentence() opens no credentials and nothing protected, and the network by its field", () => {
  const reason = "system packages are not for commands; a person can install them";
  assert.deepStrictEqual(
    [
      advice({ path: "/home/x/.ssh", access: ["read", "write"], hidden: true }),
      advice({ path: "/work/.git/config", access: ["write"], protected: true, flags: ["--allow-protected x"] }),
      advice({ operation: "network", subject: "example.com", flags: ["--network full"] }),
      advice({ operation: "network", subject: "a.example:443", flags: ["--network ...,a.example:443"] }),
      advice({ operation: "unix_socket", subject: "AF_UNIX", flags: ["--unix-sockets allow"] }),
      advice({ operation: "pseudo_terminal", subject: "/dev/ptmx" }),
      advice({ operation: "write", subject: "" }),
      advice({ operation: "system_packages", subject: "/var/lib/dpkg", reason }),
    ],
    [
      '"/home/x/.ssh" is hidden from server "fs", whether it exists or not.',
      'Server "fs" can read but not change "/work/.git/config", because programs outside the sandbox obey it.',
      'Server "fs" cannot reach "example.com". A person can allow it: "network": "full" in the entry of "fs".',
      'Server "fs" cannot reach "a.example:443". A person can allow it: "a.example:443" in the list "network" in the entry of "fs".',
      'Server "fs" may not use such a Unix socket. A person can allow it: "unixSockets": "allow" in the entry of "fs".',
      'Server "fs" has no pseudo-terminals.',
      'Server "fs" changes nothing but its own home, $TMPDIR and what its entry opens. A person can allow it: "write": ["DIR"] in the entry of "fs".',
      "system packages are not for commands; a person can install them.",
    ],
  );
});
