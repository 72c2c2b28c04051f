/**
 * The executable for aarch64, on that processor or as qemu runs it. A small program tells what came to it: qemu takes ten
 * seconds to read ours, which runs whole in these tests on a machine with that processor.
 */
import assert from "node:assert/strict";
import { embeddedExecutable } from "../../scripts/executable/embedded.ts";
import { writeProgram } from "../../src/sandbox/launcher/_support/write_program.ts";
import { exists, Workbench } from "../_support/workbench.ts";

const NATIVE = Deno.build.arch === "aarch64";
/** glibc for aarch64, of Debian's package libc6-arm64-cross. */
const LIBRARIES = "/usr/aarch64-linux-gnu";
const CAN = Deno.env.get("CI") === "true" || NATIVE ||
  exists("/usr/bin/qemu-aarch64") && exists(`${LIBRARIES}/lib/libgcc_s.so.1`);

const PROGRAM = `console.log(JSON.stringify({
  args: Deno.args,
  environment: Deno.env.toObject(),
  module: Deno.mainModule,
  processor: Deno.build.arch,
}));
`;

Deno.test({
  name: `D1 the executable for aarch64 starts its program by any name and in a hostile environment${
    CAN ? "" : " (ignored: needs qemu-aarch64, libc6-arm64-cross and libgcc-s1-arm64-cross)"
  }`,
  ignore: !CAN,
  fn: async () => {
    using bench = new Workbench();
    const path = `${bench.parent}/dx`;
    const bytes = await embeddedExecutable("linux-arm64", new TextEncoder().encode(PROGRAM));
    await writeProgram(path, bytes);
    const [command = "", ...args] = [...NATIVE ? [] : ["qemu-aarch64", "-L", LIBRARIES], path, "--version"];
    // Neither HOME nor DENO_DIR: the stub adds a place for the runtime.
    const env = { PATH: "/usr/bin:/bin", DENO_V8_FLAGS: "--no-such-flag", NODE_OPTIONS: "--require=/nowhere.cjs" };
    const { code, stdout, stderr } = await new Deno.Command(command, { args, clearEnv: true, env }).output();
    const decoder = new TextDecoder();
    assert.deepStrictEqual([code, decoder.decode(stderr)], [0, ""]);
    assert.deepStrictEqual(JSON.parse(decoder.decode(stdout)), {
      args: ["--version"],
      environment: {
        PATH: "/usr/bin:/bin",
        nODE_OPTIONS: "--require=/nowhere.cjs",
        DENO_NO_UPDATE_CHECK: "1",
        DENO_DISABLE_NODE_SHIM: "1",
        DENO_DIR: "/proc/no-home",
      },
      module: "file:///proc/self/fd/100",
      processor: "aarch64",
    });
  },
});
