import assert from "node:assert/strict";
import { programStart } from "./_support/program.ts";
import { ERAS } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

/** The reference client of the protocol's makers. It runs under Deno: its engines ask for a newer Node than many have. */
const INSPECTOR = [
  "run",
  "--allow-all",
  "--no-config",
  "--quiet",
  "npm:@modelcontextprotocol/inspector@2.12.0/mcp-inspector",
];

interface Inspection {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function inspect(bench: Workbench, era: string, words: readonly string[]): Promise<Inspection> {
  const server = programStart(bench, []);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...INSPECTOR,
      "--cli",
      server.command,
      ...server.args,
      "--protocol-era",
      era,
      "--format",
      "json",
      "-q",
      ...words,
    ],
    cwd: bench.scope,
    env: { MCP_STORAGE_DIR: `${bench.parent}/inspector`, NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

for (const era of ERAS) {
  const word = era === "2026-07-28" ? "modern" : "legacy";
  Deno.test(`C1 the inspector lists the tools over stdio in the ${word} era`, async () => {
    using bench = new Workbench();
    const seen = await inspect(bench, word, ["--method", "tools/list", "--strict"]);
    assert.equal(seen.code, 0, seen.stdout + seen.stderr);
    for (const tool of ["sandboxed_shell", "status", "await", "cancel"]) {
      assert.match(seen.stdout, new RegExp(`"name":\\s*"${tool}"`));
    }
  });

  Deno.test(`C1 X3 the inspector calls tools over stdio in the ${word} era`, async () => {
    using bench = new Workbench();
    const called = ["--method", "tools/call", "--tool-name", "sandboxed_shell"];
    const good = await inspect(bench, word, [
      ...called,
      "--tool-args-json",
      JSON.stringify({ command: "echo seen by $((40 + 2)) > file; cat file", execution_mode: "Synchronous" }),
    ]);
    assert.equal(good.code, 0, good.stdout + good.stderr);
    assert.match(good.stdout, /seen by 42/);
    assert.equal(await Deno.readTextFile(`${bench.scope}/file`), "seen by 42\n");
    const failing = await inspect(bench, word, [
      ...called,
      "--tool-args-json",
      JSON.stringify({ command: "exit 9", execution_mode: "Synchronous" }),
    ]);
    assert.equal(failing.code, 5, "a tool error, by the inspector's codes");
  });
}
