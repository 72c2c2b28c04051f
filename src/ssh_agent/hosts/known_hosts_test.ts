import assert from "node:assert/strict";
import { string } from "../wire/fields.ts";
import { concatenate } from "../../base/bytes.ts";
import { publicKeyText } from "../wire/public_key.ts";
import { hostsIn } from "./host_name.ts";
import { KnownHosts } from "./known_hosts.ts";

function key(name: string): Uint8Array {
  return concatenate([string("ssh-ed25519"), string(name)]);
}

const HOST = { host: "git.example.test", port: 22 };

async function isKnown(names: string, host = HOST): Promise<boolean> {
  return await new KnownHosts(`${names} ${publicKeyText(key("a"))} comment`).hasKey(host, key("a"));
}

Deno.test("S42 a host key belongs to the names of its line, as ssh reads them", async () => {
  for (
    const names of ["git.example.test", "x,git.example.test", "*.example.test", "git.exampl?.test", "GIT.example.test"]
  ) assert.ok(await isKnown(names), names);
  for (
    const names of [
      "example.test",
      "git.example.test.other",
      "*.example.test,!git.example.test",
      "!other.test",
      "[git.example.test]:2222",
      "@cert-authority git.example.test",
      "#git.example.test",
      "|1|AAAA|AAAA",
      "|1|not base64|x",
    ]
  ) assert.ok(!await isKnown(names), names);
  assert.ok(await isKnown("[git.example.test]:2222", { ...HOST, port: 2222 }));
  assert.ok(!await isKnown("git.example.test", { ...HOST, port: 2222 }));
  const start = performance.now();
  assert.ok(!await isKnown(`${"*a".repeat(2000)}`, { host: "a".repeat(200), port: 22 }));
  assert.ok(performance.now() - start < 10_000);
});

Deno.test("S42 a hashed name is found, as ssh-keygen -H writes it", async () => {
  // `git.example.test` with the salt of twenty zeros.
  const salt = new Uint8Array(20);
  const hmac = await crypto.subtle.importKey("raw", salt, { name: "HMAC", hash: "SHA-1" }, ...HOW);
  const hash = new Uint8Array(await crypto.subtle.sign("HMAC", hmac, new TextEncoder().encode(HOST.host)));
  const names = `|1|${salt.toBase64()}|${hash.toBase64()}`;
  assert.ok(await isKnown(names));
  assert.ok(!await isKnown(names, { host: "other.test", port: 22 }));
  const known = new KnownHosts(`${names} ${publicKeyText(key("a"))}`);
  // Words of a command that name another host give this one no name.
  const perhaps = hostsIn("git push ssh://git@GIT.example.test:22/repository");
  assert.deepEqual(await known.find(key("a"), perhaps), { isKnown: true, name: HOST.host });
  assert.deepEqual(await known.find(key("a"), hostsIn("ssh -p 2222 other.test")), { isKnown: true });
});

const HOW = [false, ["sign"]] as const satisfies [boolean, KeyUsage[]];

Deno.test("S42 a revoked key, and another one, is no host's", async () => {
  const line = `${HOST.host} ${publicKeyText(key("a"))}`;
  assert.ok(!await new KnownHosts(`${line}\n@revoked * ${publicKeyText(key("a"))}`).hasKey(HOST, key("a")));
  assert.ok(!await new KnownHosts(line).hasKey(HOST, key("b")));
  const known = new KnownHosts(`${line}\nother ssh-ed25519 broken\nother ssh-rsa ${key("a").toBase64()}\n`);
  assert.deepEqual(await known.linesFor([HOST, { host: "other", port: 22 }]), [line]);
  assert.deepEqual(await known.find(key("a"), []), { isKnown: true, name: HOST.host });
  assert.deepEqual(await known.find(key("b"), [HOST]), { isKnown: false });
  const revoked = new KnownHosts(`${line}\n@revoked * ${publicKeyText(key("a"))}`);
  assert.deepEqual(await revoked.find(key("a"), [HOST]), { isKnown: false });
});
