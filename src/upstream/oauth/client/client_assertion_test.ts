import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject, verify } from "node:crypto";
import { clientAssertion } from "./client_assertion.ts";

const NOW = 1_790_000_000_999;

interface Made {
  readonly file: string;
  /** PEM. */
  readonly key: string;
  readonly jwk: JsonWebKey;
}

/** To make one takes a tenth of a second. */
const RSA = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

function keyOf(kind: string, options: object): KeyObject {
  return Reflect.apply(generateKeyPairSync, undefined, [kind, options]).privateKey;
}

const KEYS = [
  [RSA, "RS256", "sha256", {}],
  [keyOf("ec", { namedCurve: "P-256" }), "ES256", "sha256", { dsaEncoding: "ieee-p1363" }],
  [keyOf("ec", { namedCurve: "P-384" }), "ES384", "sha384", { dsaEncoding: "ieee-p1363" }],
  [keyOf("ec", { namedCurve: "P-521" }), "ES512", "sha512", { dsaEncoding: "ieee-p1363" }],
  [keyOf("ed25519", {}), "EdDSA", null, {}],
] as const;

async function withKey(privateKey: KeyObject, run: (made: Made) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  const file = `${directory}/key`;
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  await Deno.writeTextFile(file, key, { mode: 0o600 });
  await run({ file, key, jwk: privateKey.export({ format: "jwk" }) });
  await Deno.remove(directory, { recursive: true });
}

function asked(keyFile: string, more: object = {}) {
  return {
    ...{
      clientId: "robot",
      keyFile,
      keyId: undefined,
      issuer: "https://auth.example",
      algorithms: undefined,
      now: NOW,
    },
    ...more,
  };
}

function parts(jwt: string): readonly unknown[] {
  return jwt.split(".").slice(0, 2).map((part) =>
    JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(part, { alphabet: "base64url" })))
  );
}

for (const [privateKey, alg, hash, how] of KEYS) {
  Deno.test(`O8 clientAssertion() signs with ${alg}, and every proof is another`, async () => {
    await withKey(privateKey, async ({ file, key, jwk }) => {
      const made = [await clientAssertion(asked(file)), await clientAssertion(asked(file, { keyId: "named" }))];
      await Deno.writeTextFile(file, JSON.stringify({ ...jwk, kid: "own" }));
      made.push(await clientAssertion(asked(file, { keyId: "named" })));
      const kids = [{}, { kid: "named" }, { kid: "own" }];
      const ids = made.map((jwt, at) => {
        const [head, claims] = parts(jwt);
        assert.deepStrictEqual(head, { alg, typ: "JWT", ...kids[at] });
        const { jti, ...rest } = claims as { readonly jti: string };
        const own = { iss: "robot", sub: "robot", aud: "https://auth.example" };
        assert.deepStrictEqual(rest, { ...own, iat: 1_790_000_000, exp: 1_790_000_120 });
        const [signed, signature = ""] = [jwt.slice(0, jwt.lastIndexOf(".")), jwt.split(".")[2]];
        const bytes = Uint8Array.fromBase64(signature, { alphabet: "base64url" });
        const proves = (text: string) =>
          verify(hash, new TextEncoder().encode(text), { key: createPublicKey(key), ...how }, bytes);
        assert.deepStrictEqual([proves(signed), proves(`${signed}x`)], [true, false]);
        return jti;
      });
      assert.strictEqual(new Set(ids).size, 3);
    });
  });
}

Deno.test("O8 clientAssertion() takes an algorithm that the authorization server takes, and refuses what it cannot use", async () => {
  await withKey(RSA, async ({ file, key }) => {
    const [head] = parts(await clientAssertion(asked(file, { algorithms: ["ES256", "PS256"] })));
    assert.deepStrictEqual(head, { alg: "PS256", typ: "JWT" });
    await assert.rejects(
      clientAssertion(asked(file, { algorithms: ["ES256"] })),
      /signs with RS256 or PS256, and "https:\/\/auth\.example" takes ES256 only$/,
    );
    await Deno.chmod(file, 0o640);
    await assert.rejects(clientAssertion(asked(file)), /"\S+": other users can read it \(chmod 600\)$/);
    await Deno.chmod(file, 0o600);
    for (const text of ["", "{", "{}", key.slice(0, -60), '{"kty":"oct","k":"c2VjcmV0"}']) {
      await Deno.writeTextFile(file, text);
      await assert.rejects(
        clientAssertion(asked(file)),
        /^UserError: Cannot use private key "\S+": it is no private key as PEM/,
      );
    }
  });
  await withKey(keyOf("rsa", { modulusLength: 1024 }), async ({ file }) => {
    await assert.rejects(clientAssertion(asked(file)), /it is none of RSA with 2048 bits, EC/);
  });
  await assert.rejects(clientAssertion(asked("/dev/null")), /it is not a file$/);
});
