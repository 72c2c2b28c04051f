import assert from "node:assert/strict";
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
  assert.deepStrictEqual(runningProgram({ ...packed, executable: "/bin/ahma_mcp", standalone: true }), {
    command: "/bin/ahma_mcp",
    args: [],
    environment: {},
  });
});
