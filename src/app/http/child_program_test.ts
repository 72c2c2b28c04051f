import { strict as assert } from "node:assert";
import { childEnvironment, childFlags } from "./child_program.ts";
import { parseCommandLine } from "../../settings/flags/parse_command_line.ts";

function settingsOf(words: readonly string[], environment: Record<string, string> = {}) {
  const line = parseCommandLine(words);
  assert.ok(line.ok);
  return { flags: line.value.flags, environment, directory: "/home/work" };
}

Deno.test("H3 an isolated session's server gets the flags of the HTTP server, but not those about HTTP and scope", () => {
  const words = [
    ...["--mode", "http", "--http-port", "0", "--session-isolation", "--require-token", "--sandbox-scope", "/ceiling"],
    ...[
      "--tools-dir",
      "tools",
      "--read",
      "/data",
      "--read=../more",
      "--sync",
      "--timeout",
      "5",
      "--debug",
      "--no-sandbox",
    ],
    ...["--audit-log", "audit.jsonl", "--protect", "secrets"],
  ];
  assert.deepStrictEqual(childFlags(settingsOf(words)), [
    "--tools-dir=/home/work/tools",
    "--read=/data",
    "--read=/home/more",
    "--sync",
    "--timeout=5",
    "--debug",
    "--no-sandbox",
    "--audit-log=/home/work/audit.jsonl",
    "--protect=secrets",
  ]);
});

Deno.test("H3 an isolated session's server gets the variables the same way", () => {
  const environment = {
    PATH: "/bin",
    AHMA_MODE: "http",
    AHMA_HTTP_PORT: "1",
    AHMA_SANDBOX_SCOPE: "/ceiling",
    AHMA_READ: "data:/abs",
    AHMA_TOOLS_DIR: "t",
    AHMA_SYNC: "1",
    NODE_OPTIONS: "--require x",
  };
  assert.deepStrictEqual(childEnvironment(settingsOf([], environment)), {
    PATH: "/bin",
    AHMA_READ: "/home/work/data:/abs",
    AHMA_TOOLS_DIR: "/home/work/t",
    AHMA_SYNC: "1",
    nODE_OPTIONS: "--require x",
  });
});
