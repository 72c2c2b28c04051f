import assert from "node:assert/strict";
import { TARGETS } from "./pins.ts";
import { wishOf } from "./wish.ts";

const HERE = { os: "linux", arch: "x86_64" } as const;

Deno.test("D1 wishOf() reads the words of deno task compile", () => {
  const plain = { targets: ["linux-x64"], way: undefined, record: false };
  assert.deepStrictEqual(wishOf([], HERE), plain);
  assert.deepStrictEqual(wishOf(["--all"], HERE), { ...plain, targets: TARGETS });
  for (
    const words of [["--target", "macos-x64", "--with", "deno-compile"], ["--target=macos-x64", "--with=deno-compile"]]
  ) {
    assert.deepStrictEqual(wishOf([...words, "--record"], HERE), {
      targets: ["macos-x64"],
      way: "deno-compile",
      record: true,
    });
  }
});

Deno.test("D1 wishOf() names what it does not know, with what it does", () => {
  const usage = "Usage: deno task compile [--target T | --all] [--with embedded|deno-compile] [--record]";
  const known = TARGETS.join(", ");
  const wrong: readonly (readonly [words: readonly string[], text: string])[] = [
    [["--target"], `--target "" is not known: give one of ${known}`],
    [["--target=linux"], `--target "linux" is not known: give one of ${known}`],
    [["--with", "upx"], `--with "upx" is not known. ${usage}`],
    [["linux-x64"], `"linux-x64" is not known. ${usage}`],
  ];
  for (const [words, text] of wrong) assert.strictEqual(wishOf(words, HERE), text);
  assert.strictEqual(
    wishOf([], { os: "freebsd", arch: "x86_64" }),
    `No executable is made for this platform: give --target, one of ${known}`,
  );
});
