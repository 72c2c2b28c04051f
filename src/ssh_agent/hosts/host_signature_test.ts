import assert from "node:assert/strict";
import fc from "fast-check";
import { concatenate } from "../../base/bytes.ts";
import { string } from "../wire/fields.ts";
import { hasSigned } from "./host_signature.ts";

const DATA = new Uint8Array(32).fill(5);

/** A key and its signature as ssh writes them, made by WebCrypto; the other kinds are tried with sshd (ssh_agent_test.ts). */
async function ed25519(): Promise<{ readonly key: Uint8Array; readonly signature: Uint8Array }> {
  const pair = await crypto.subtle.generateKey("Ed25519", ...HOW) as CryptoKeyPair;
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const signed = new Uint8Array(await crypto.subtle.sign("Ed25519", pair.privateKey, DATA));
  const kind = string("ssh-ed25519");
  return { key: concatenate([kind, string(raw)]), signature: concatenate([kind, string(signed)]) };
}

const HOW = [true, ["sign", "verify"]] as const satisfies [boolean, KeyUsage[]];

Deno.test("S42 a host's signature counts for its key and its data, and any changed byte makes it another", async () => {
  const { key, signature } = await ed25519();
  assert.ok(await hasSigned(key, signature, DATA));
  assert.ok(!await hasSigned((await ed25519()).key, signature, DATA));
  await fc.assert(fc.asyncProperty(fc.nat(2), fc.nat(200), fc.integer({ min: 1, max: 255 }), async (which, at, by) => {
    const parts = [key.slice(), signature.slice(), DATA.slice()] as const;
    const part = parts[which] ?? DATA;
    part[at % part.length] = (part[at % part.length] ?? 0) ^ by;
    assert.ok(!await hasSigned(...parts));
  }));
});

Deno.test("S42 what is no signature of a known kind counts for nothing, whatever its bytes", async () => {
  const kinds = ["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ssh-dss", "constructor"];
  const text = fc.oneof(fc.constantFrom(...kinds, "nistp256", "rsa-sha2-256"), fc.uint8Array({ maxLength: 70 }));
  const fields = fc.array(text, { maxLength: 4 }).map((parts) => concatenate(parts.map((one) => string(one))));
  await fc.assert(fc.asyncProperty(fields, fields, async (key, signature) => {
    assert.ok(!await hasSigned(key, signature, DATA));
  }));
});
