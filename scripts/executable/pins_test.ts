import assert from "node:assert/strict";
import { ownTarget, PINS_FILE, runtimePin, sha256, targetNamed, TARGETS, withDenort } from "./pins.ts";
import { runtimeFile } from "./runtime_file.ts";

Deno.test("D1 the pinned runtime is the one that everything else is run with", async () => {
  const { version } = JSON.parse(await Deno.readTextFile(PINS_FILE));
  const gate = await Deno.readTextFile(new URL("../../.ci/run", import.meta.url));
  assert.deepStrictEqual([version, /deno@(\S+)/.exec(gate)?.[1]], [Deno.version.deno, Deno.version.deno]);
});

Deno.test("D1 ownTarget() names the platforms that there are executables for", () => {
  const all = [
    ["linux", "x86_64"],
    ["linux", "aarch64"],
    ["darwin", "x86_64"],
    ["darwin", "aarch64"],
    ["windows", "x86_64"],
    ["windows", "aarch64"],
    ["freebsd", "x86_64"],
  ] as const;
  const targets = all.map(([os, arch]) => ownTarget({ os, arch }));
  assert.deepStrictEqual(targets, [...TARGETS.slice(0, 5), undefined, undefined]);
  assert.deepStrictEqual([targetNamed("linux-x64"), targetNamed("linux")], ["linux-x64", undefined]);
});

Deno.test("D1 withDenort() adds a sum once, and keeps the rest of the file as it is", async () => {
  const text = await Deno.readTextFile(PINS_FILE);
  const once = withDenort(text, "macos-x64", "aa");
  assert.deepStrictEqual(JSON.parse(once).targets["macos-x64"].denort, ["aa"]);
  assert.strictEqual(withDenort(once, "macos-x64", "aa"), once);
  const { targets } = JSON.parse(once);
  targets["macos-x64"].denort = [];
  assert.deepStrictEqual(targets, JSON.parse(text).targets);
});

Deno.test("D1 a runtime of another sum is taken from nowhere, and each place is named with its reason", async () => {
  const cache = await Deno.makeTempDir();
  try {
    const own = `${cache}/own`;
    await Deno.writeTextFile(own, "planted");
    const sum = await sha256(new TextEncoder().encode("planted"));
    // No registry is asked for what is no version.
    const nowhere = { version: "0.0.0!", package: "file:/nowhere/package.tgz#", wheel: "any", sha256: "00" };
    await assert.rejects(runtimeFile("linux-x64", nowhere, { cache, own }), ({ message }: Error) => {
      const [first, ...places] = message.split("\n");
      assert.strictEqual(first, "Cannot get the runtime deno 0.0.0! for linux-x64, SHA-256 00:");
      assert.match(places[0] ?? "", /^- \S+\/deno-0\.0\.0!-linux-x64: No such file/);
      assert.strictEqual(places[1], `- ${own}: its SHA-256 is ${sum}`);
      assert.deepStrictEqual(places.slice(2, 4).map((place) => place.split(":")[0]), [
        "- npm pack file",
        "- pip download deno==0.0.0!",
      ]);
      assert.strictEqual(
        places[4],
        `Give this machine a package registry, or put the file at "${cache}/deno-0.0.0!-linux-x64"`,
      );
      return true;
    });
    assert.deepStrictEqual((await Array.fromAsync(Deno.readDir(cache))).map(({ name }) => name), ["own"]);
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
});

Deno.test("D1 a runtime is kept once it is found, and compared again when it is taken from there", async () => {
  const cache = await Deno.makeTempDir();
  try {
    const bytes = new TextEncoder().encode("a runtime");
    const own = `${cache}/own`;
    await Deno.writeFile(own, bytes);
    const pin = { ...runtimePin("linux-x64") ?? assert.fail(), sha256: await sha256(bytes) };
    const kept = `${cache}/deno-${pin.version}-linux-x64`;
    assert.deepStrictEqual(await runtimeFile("linux-x64", pin, { cache, own }), bytes);
    assert.deepStrictEqual(await Deno.readFile(kept), bytes);
    await Deno.writeTextFile(kept, "damaged");
    assert.deepStrictEqual(await runtimeFile("linux-x64", pin, { cache, own }), bytes);
    assert.deepStrictEqual(await Deno.readFile(kept), bytes);
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
});
