// Runs the packed program where a sh script cannot, on Windows: node node_modules/ahma_mcp/bin/ahma_mcp.cjs
"use strict";
const { spawn } = require("node:child_process");
const path = require("node:path");

const PLATFORMS = {
  "linux x64": "linux-x64-glibc",
  "linux arm64": "linux-arm64-glibc",
  "darwin x64": "darwin-x64",
  "darwin arm64": "darwin-arm64",
  "win32 x64": "win32-x64",
  "win32 arm64": "win32-arm64",
};

function fail(problem) {
  process.stderr.write(`Cannot start ahma_mcp: ${problem}\n`);
  process.exit(1);
}

const platform = PLATFORMS[`${process.platform} ${process.arch}`];
if (platform === undefined) fail(`there is no runtime for ${process.platform} on ${process.arch}`);
let directory;
try {
  directory = path.dirname(require.resolve(`@deno/${platform}/package.json`));
} catch (error) {
  fail(`the package @deno/${platform} is missing (${error.code}). Install ahma_mcp again, with --include=optional`);
}
const runtime = path.join(directory, process.platform === "win32" ? "deno.exe" : "deno");
const flags = "@FLAGS@".split(" ");
const child = spawn(runtime, ["run", ...flags, path.join(__dirname, "ahma_mcp.mjs"), ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", DENO_DISABLE_NODE_SHIM: "1" },
});
// The runtime handles the signals and ends in good order; this process waits for that.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => fail(`${runtime}: ${error.message}`));
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
