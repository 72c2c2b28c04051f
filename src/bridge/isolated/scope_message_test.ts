import { strict as assert } from "node:assert";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import { type ByteSource, readScopeMessage, scopeMessage } from "./scope_message.ts";

/** Gives its bytes in pieces of `piece`, then the end. */
function sourceOf(bytes: Uint8Array, piece: number): ByteSource & { readonly rest: () => string } {
  let rest = bytes;
  return {
    read(buffer) {
      if (rest.length === 0) return Promise.resolve(null);
      const part = rest.subarray(0, Math.min(piece, buffer.length));
      buffer.set(part);
      rest = rest.subarray(part.length);
      return Promise.resolve(part.length);
    },
    rest: () => new TextDecoder().decode(rest),
  };
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function pinned(path: string, inode: bigint): PinnedDirectory {
  return { path, device: 2049n, inode };
}

Deno.test("H3 a scope message is read to its last byte and no further, however the pipe cuts it", async () => {
  const scopes = [pinned("/home/me/ü", 2n ** 63n), pinned("/data/with\nnewline", 1n)];
  const message = scopeMessage(scopes);
  const whole = new Uint8Array(message.length + 3);
  whole.set(message);
  whole.set(bytesOf("{}\n"), message.length);
  for (const piece of [1, 7, 1000]) {
    const source = sourceOf(whole, piece);
    assert.deepStrictEqual(await readScopeMessage(source), { ok: true, value: scopes });
    assert.strictEqual(source.rest(), "{}\n");
  }
});

Deno.test("H3 a pipe that closes before its scope is no scope", async () => {
  const message = scopeMessage([pinned("/a", 7n)]);
  for (const length of [0, 5, 8, message.length - 1]) {
    const read = await readScopeMessage(sourceOf(message.subarray(0, length), 100));
    assert.deepStrictEqual(read, { ok: true, value: undefined }, String(length));
  }
});

Deno.test("H3 anything else in the place of a scope message is refused", async () => {
  const frame = (json: string) => bytesOf(json.length.toString(16).padStart(8, "0") + json);
  const wrong = [
    bytesOf(`{"jsonrpc":"2.0","id":1,"method":"initialize"}\n`),
    bytesOf("00000000"),
    bytesOf("7fffffff"),
    frame(`{"scopes":[]}`),
    frame(`{"scopes":["/a"]}`),
    frame(`{"scopes":[{"path":"relative","device":"1","inode":"2"}]}`),
    frame(`{"scopes":[{"path":"/a","device":"1","inode":"2"},{"path":"/b","device":"1"}]}`),
    frame(`{"scopes":"/a"}`),
    frame(`{}`),
  ];
  for (const bytes of wrong) {
    const { ok } = await readScopeMessage(sourceOf(bytes, 100));
    assert.ok(!ok, new TextDecoder().decode(bytes));
  }
});
