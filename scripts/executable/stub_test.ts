import assert from "node:assert/strict";
import { assemble, ASSEMBLERS, installed } from "../../src/sandbox/launcher/_support/assemble.ts";
import { START_LINE } from "./start_line.ts";
import { buildStub, type Stub, stubCode } from "./stub.ts";
import { STUB_ARM64 } from "./stub_arm64.ts";
import { STUB_X64 } from "./stub_x64.ts";

const CI = Deno.env.get("CI") === "true";
const STUBS: readonly (readonly [processor: keyof typeof ASSEMBLERS, stub: Stub])[] = [
  ["x86_64", STUB_X64],
  ["aarch64", STUB_ARM64],
];

for (const [processor, stub] of STUBS) {
  const assembler = ASSEMBLERS[processor];
  const can = CI || installed(assembler.program);
  Deno.test({
    name: `D1 stubCode() for ${processor} is what its source assembles to${
      can ? "" : ` (ignored: ${assembler.program} is not installed)`
    }`,
    ignore: !can,
    fn: async () => {
      const code = stubCode(stub);
      const assembled = await assemble(stub.listing.map(([, line]) => line), assembler);
      assert.deepStrictEqual(assembled.slice(0, code.length).toHex(), code.toHex());
    },
  });
}

Deno.test("D1 buildStub() refuses a text that would end early in memory", () => {
  const places = { programOffset: 0, programBytes: 0, entryDistance: 0, environDistance: 0 };
  assert.throws(
    () => buildStub(STUB_X64, { ...START_LINE, words: ["deno", "a\0b"] }, places),
    new RangeError('Cannot build the stub: "a\\u0000b" holds a NUL'),
  );
});

Deno.test("D1 the runtime of an executable gets the flags of the packed program, and a session's no network", () => {
  const packed = [
    ...["--no-prompt", "--no-config", "--no-lock", "--no-remote", "--no-npm", "--cached-only", "--allow-read"],
    ...["--allow-write", "--allow-env", "--allow-run", "--allow-ffi", "--allow-sys"],
  ];
  const program = ["--ext=mjs", "/proc/self/fd/100"];
  const engine = "--no-concurrent-recompilation,--heap-growing-percent=40,--expose-gc";
  const server = `--v8-flags=--max-semi-space-size=2,${engine}`;
  assert.deepStrictEqual(START_LINE.words, ["deno", "run", server, ...packed, "--allow-net", ...program]);
  const heap = `--v8-flags=--min-semi-space-size=1,--max-semi-space-size=1,${engine}`;
  assert.deepStrictEqual(START_LINE.sessionWords, ["deno", "run", heap, ...packed, ...program]);
});
