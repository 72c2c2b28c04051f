/** The executable for aarch64, on that processor or as qemu runs it: slow there, so that one start has to show it all. */
import assert from "node:assert/strict";
import { VERSION } from "../../src/base/version.ts";
import { runtimePin } from "../../scripts/executable/pins.ts";
import { runtimeFile } from "../../scripts/executable/runtime_file.ts";
import { embedProgram } from "../../scripts/executable/embed.ts";
import { START_LINE } from "../../scripts/executable/start_line.ts";
import { STUB_ARM64 } from "../../scripts/executable/stub_arm64.ts";
import { userDirectory } from "../../src/system/user_directories.ts";
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
    const pin = runtimePin("linux-arm64") ?? assert.fail();
    const cache = `${userDirectory(Deno.env.toObject(), "XDG_CACHE_HOME")}/ahma_build`;
    const runtime = await runtimeFile("linux-arm64", pin, { cache, own: Deno.execPath() });
    const { bundle } = testRuntime(bench.user);
    const bytes = embedProgram(runtime, await Deno.readFile(bundle), { stub: STUB_ARM64, line: START_LINE });
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
