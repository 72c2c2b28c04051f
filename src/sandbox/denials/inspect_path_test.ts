import assert from "node:assert/strict";
import { look } from "./inspect_path.ts";

Deno.test("S15 look() goes up from where a link leads, as the kernel does", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${base}/far/deep`, { recursive: true });
    await Deno.mkdir(`${base}/near`);
    await Deno.writeTextFile(`${base}/far/file`, "");
    await Deno.symlink(`${base}/far/deep`, `${base}/near/link`);
    const file = { path: `${base}/far/file`, kind: "file" };
    const found = async (path: string) => await look(`${base}/${path}`);
    assert.deepStrictEqual(await found("near/link/../file"), file);
    assert.deepStrictEqual(await found("near/../near/link/../../far/./file"), file);
    assert.deepStrictEqual(await found("near/.."), { path: base, kind: "directory" });
    assert.deepStrictEqual(await found("near/../new"), { path: `${base}/new`, kind: undefined });
    assert.deepStrictEqual(await found("near/..file"), { path: `${base}/near/..file`, kind: undefined });
    assert.deepStrictEqual([await found("near/file/../x"), await found("none/../near")], [undefined, undefined]);
    assert.deepStrictEqual(await look("/.."), { path: "/", kind: "directory" });
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
