import assert from "node:assert/strict";
import { VERSION } from "../../base/version.ts";
import { RUN_FLAGS, runningProgram } from "./own_program.ts";

const FACTS = { executable: "/bin/deno", standalone: false };

Deno.test("L6 runningProgram() names the script next to the packed program, else the runtime with its permissions", () => {
  const packed = {
    ...FACTS,
    mainModule: "file:///a%20b/ahma_mcp.mjs",
    exists: (path: string) => path === "/a b/ahma_mcp",
  };
  assert.deepStrictEqual(runningProgram(packed), {
    command: "/a b/ahma_mcp",
    args: [],
    environment: { AHMA_DENO: "/bin/deno" },
  });
  assert.deepStrictEqual(runningProgram({ ...packed, exists: () => false }), {
    command: "/bin/deno",
    args: ["run", ...RUN_FLAGS, "/a b/ahma_mcp.mjs"],
    environment: {},
  });
  assert.deepStrictEqual(runningProgram({ ...packed, mainModule: "file:///src/main.ts", exists: () => true }), {
    command: "/bin/deno",
    args: ["run", ...RUN_FLAGS, "/src/main.ts"],
    environment: {},
  });
  const executable = { command: "/bin/ahma_mcp", args: [], environment: {} };
  const inside = { ...packed, executable: "/bin/ahma_mcp" };
  assert.deepStrictEqual(runningProgram({ ...inside, standalone: true }), executable);
  assert.deepStrictEqual(runningProgram({ ...inside, mainModule: "file:///proc/self/fd/100" }), executable);
});

Deno.test("L6 runningProgram() names the script of an installed package without a runtime, and npx for its cache", () => {
  const installed = (modules: string) => ({
    ...FACTS,
    mainModule: `file://${modules}/ahma_mcp/bin/ahma_mcp.mjs`,
    exists: () => true,
  });
  assert.deepStrictEqual(runningProgram(installed("/usr/lib/node_modules")), {
    command: "/usr/lib/node_modules/ahma_mcp/bin/ahma_mcp",
    args: [],
    environment: {},
  });
  assert.deepStrictEqual(runningProgram(installed("/home/me/.npm/_npx/8f3a/node_modules")), {
    command: "npx",
    args: ["-y", `ahma_mcp@${VERSION}`],
    environment: {},
  });
});
