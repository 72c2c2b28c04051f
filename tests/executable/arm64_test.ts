/** The executable for aarch64, on that processor or as qemu runs it: slow there, so that one start has to show it all. */
import assert from "node:assert/strict";
import { VERSION } from "../../src/base/version.ts";
import { embeddedExecutable } from "../../scripts/executable/embedded.ts";
import { testRuntime } from "../_support/runtime.ts";
import { exists, Workbench } from "../_support/workbench.ts";

const NATIVE = Deno.build.arch === "aarch64";
/** glibc for aarch64, of Debian's package libc6-arm64-cross. */
const LIBRARIES = "/usr/aarch64-linux-gnu";
const CAN = Deno.env.get("CI") === "true" || NATIVE ||
  exists("/usr/bin/qemu-aarch64") && exists(`${LIBRARIES}/lib/libgcc_s.so.1`);

Deno.test({
  name: `D1 the executable for aarch64 is ahma_mcp by any name and in a hostile environment${
    CAN ? "" : " (ignored: needs qemu-aarch64, libc6-arm64-cross and libgcc-s1-arm64-cross)"
  }`,
  ignore: !CAN,
  fn: async () => {
    using bench = new Workbench();
    const bytes = await embeddedExecutable("linux-arm64", await Deno.readFile(testRuntime(bench.user).bundle));
    const path = `${bench.parent}/dx`;
    await Deno.writeFile(path, bytes, { mode: 0o755 });
    const [command = "", ...args] = [...NATIVE ? [] : ["qemu-aarch64", "-L", LIBRARIES], path, "--version"];
    // Neither HOME nor DENO_DIR: the stub adds a place for the runtime.
    const env = { PATH: "/usr/bin:/bin", DENO_V8_FLAGS: "--no-such-flag", NODE_OPTIONS: "--require=/nowhere.cjs" };
    const { code, stdout, stderr } = await new Deno.Command(command, { args, clearEnv: true, env }).output();
    const decoder = new TextDecoder();
    assert.deepStrictEqual(
      { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) },
      { code: 0, stdout: `ahma_mcp ${VERSION}\n`, stderr: "" },
    );
  },
});
