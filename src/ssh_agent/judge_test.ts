import assert from "node:assert/strict";
import fc from "fast-check";
import { concatenate } from "../base/bytes.ts";
import { type Bound, judge } from "./judge.ts";
import { string } from "./wire/fields.ts";

const KEY = string("ssh-ed25519");
const RSA = string("ssh-rsa");
const HOST_KEY = Uint8Array.of(7, 7);
const SESSION = new Uint8Array(32).fill(9);
const BOUND: Bound = { kind: "host", hostKey: HOST_KEY, sessionId: SESSION };

interface Login {
  readonly sessionId?: Uint8Array;
  readonly type?: number;
  readonly service?: string;
  readonly method?: string;
  readonly hasSignature?: number;
  readonly algorithm?: string;
  readonly key?: Uint8Array;
  readonly hostKey?: Uint8Array;
  readonly more?: Uint8Array;
}

function login(change: Login = {}): Uint8Array {
  const { sessionId = SESSION, type = 50, service = "ssh-connection", method = "publickey", hasSignature = 1 } = change;
  const { algorithm = "ssh-ed25519", key = KEY, hostKey, more = new Uint8Array(0) } = change;
  return concatenate([
    string(sessionId),
    Uint8Array.of(type),
    ...["me", service, method].map((one) => string(one)),
    Uint8Array.of(hasSignature),
    string(algorithm),
    string(key),
    ...hostKey === undefined ? [] : [string(hostKey)],
    more,
  ]);
}

function file(namespace: string, { hash = new Uint8Array(64), algorithm = "sha512", reserved = "" } = {}): Uint8Array {
  const magic = new TextEncoder().encode("SSHSIG");
  return concatenate([magic, ...[namespace, reserved, algorithm, hash].map((one) => string(one))]);
}

function isJudged(data: Uint8Array, { bound = BOUND, key = KEY, flags = 0 } = {}): boolean {
  return judge({ kind: "sign", key, data, flags }, bound).ok;
}

const HOST_BOUND = "publickey-hostbound-v00@openssh.com";

Deno.test("S42 a login is signed for the session and host that a connection has proved, and git's files", () => {
  assert.deepEqual(judge({ kind: "sign", key: KEY, data: login(), flags: 0 }, BOUND), {
    ok: true,
    value: { kind: "login", hostKey: HOST_KEY, user: "me" },
  });
  assert.ok(isJudged(login({ method: HOST_BOUND, hostKey: HOST_KEY })));
  assert.ok(isJudged(login({ algorithm: "rsa-sha2-512", key: RSA }), { key: RSA, flags: 4 }));
  assert.ok(isJudged(file("git"), { bound: { kind: "none" } }));
  assert.ok(isJudged(file("git"), { key: RSA, flags: 4 }));
});

Deno.test("S42 nothing else is signed", () => {
  const refused: Readonly<Record<string, boolean>> = {
    "without a host": isJudged(login(), { bound: { kind: "none" } }),
    "after a forged or forwarded one": isJudged(file("git"), { bound: { kind: "closed", reason: "why" } }),
    "another session": isJudged(login({ sessionId: new Uint8Array(32) })),
    "no session": isJudged(login({ sessionId: new Uint8Array(0) })),
    "another message": isJudged(login({ type: 51 })),
    "another service": isJudged(login({ service: "ssh-userauth" })),
    "a mark before the service": isJudged(login({ service: "\ufeffssh-connection" })),
    "another method": isJudged(login({ method: "hostbased" })),
    "a question without a signature": isJudged(login({ hasSignature: 0 })),
    "another key within": isJudged(login({ key: RSA })),
    "another algorithm": isJudged(login({ algorithm: "ssh-rsa" })),
    "another host within": isJudged(login({ method: HOST_BOUND, hostKey: KEY })),
    "a host that the method does not have": isJudged(login({ hostKey: HOST_KEY })),
    "a host that is missing": isJudged(login({ method: HOST_BOUND })),
    "more behind it": isJudged(login({ more: Uint8Array.of(0) })),
    "RSA with SHA-1": isJudged(login({ algorithm: "ssh-rsa", key: RSA }), { key: RSA }),
    "RSA with another hash than it says": isJudged(login({ algorithm: "rsa-sha2-512", key: RSA }), {
      key: RSA,
      flags: 2,
    }),
    "flags of RSA": isJudged(login(), { flags: 4 }),
    "a file": isJudged(file("file")),
    "a file for all": isJudged(file("")),
    "a mark before git": isJudged(file("\ufeffgit")),
    "git's with SHA-1": isJudged(file("git"), { key: RSA }),
    "a hash of another length": isJudged(file("git", { hash: new Uint8Array(20) })),
    "another hash": isJudged(file("git", { algorithm: "sha1", hash: new Uint8Array(20) })),
    "a reserved field": isJudged(file("git", { reserved: "x" })),
  };
  assert.deepEqual(Object.entries(refused).filter(([, is]) => is), []);
});

Deno.test("S42 no chosen bytes are signed", () => {
  const part = fc.oneof(fc.uint8Array({ maxLength: 80 }), fc.constantFrom(login(), file("git"), file("file")));
  fc.assert(fc.property(part, part, (one, other) => {
    const data = concatenate([one, other]);
    const isWhole = [login(), file("git")].some((form) =>
      form.length === data.length && form.every((byte, at) => byte === data[at])
    );
    assert.ok(isWhole || !isJudged(data));
  }));
  fc.assert(fc.property(fc.nat(login().length - 1), fc.nat(254), (at, change) => {
    const data = login();
    data[at] = ((data[at] ?? 0) + 1 + change) % 256;
    // Only the name of the account is free.
    const user = [32 + 4 + 1 + 4, 32 + 4 + 1 + 5];
    assert.strictEqual(isJudged(data), user.includes(at));
  }));
});
