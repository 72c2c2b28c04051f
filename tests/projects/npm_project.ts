import type { Project } from "./project.ts";

/** A workspace with a local package, a native addon, hooks set up by `prepare`, and a bundler for TypeScript. */
export const NPM_PROJECT: Project = {
  name: "npm",
  programs: ["node", "npm", "make", "g++", "git"],
  files: {
    "package.json": JSON.stringify({
      private: true,
      workspaces: ["packages/*"],
      scripts: {
        prepare: "git config core.hooksPath .hooks",
        build: "esbuild src/*.ts --bundle --platform=node --external:addon --outdir=dist --log-level=error",
        test: "node --test dist/main_test.js",
      },
      dependencies: { addon: "*" },
      devDependencies: { esbuild: "0.25.10" },
    }),
    "packages/addon/package.json": JSON.stringify({
      name: "addon",
      version: "1.0.0",
      main: "index.js",
      scripts: { install: "node-gyp rebuild" },
    }),
    "packages/addon/index.js": `module.exports = require("./build/Release/addon.node");\n`,
    "packages/addon/binding.gyp": `{"targets": [{"target_name": "addon", "sources": ["addon.c"]}]}\n`,
    "packages/addon/addon.c": `#include <node_api.h>
static napi_value answer(napi_env env, napi_callback_info info) {
  napi_value made;
  napi_create_int32(env, 42, &made);
  return made;
}
NAPI_MODULE_INIT() {
  napi_value made;
  napi_create_function(env, "answer", NAPI_AUTO_LENGTH, answer, 0, &made);
  napi_set_named_property(env, exports, "answer", made);
  return exports;
}
`,
    "src/main.ts": `import { answer } from "addon";
export const text: string = \`addon \${answer()}\`;
console.log(text);
`,
    "src/main_test.ts": `import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { text } from "./main";

test("a server on localhost answers", async () => {
  const server = createServer((_, response) => response.end(text)).listen(0, "localhost");
  await new Promise((resolve) => server.once("listening", resolve));
  const answer = await fetch(\`http://localhost:\${(server.address() as AddressInfo).port}\`);
  assert.equal(await answer.text(), "addon 42");
  server.close();
});

test("a server on a Unix socket answers", async () => {
  const path = \`\${mkdtempSync(\`\${tmpdir()}/socket-\`)}/socket\`;
  const server = createServer((_, response) => response.end()).listen(path);
  await new Promise((resolve) => server.once("listening", resolve));
  server.close();
});

test("a thread ends", async () => {
  const worker = new Worker("process.exit(7)", { eval: true });
  assert.equal(await new Promise((resolve) => worker.once("exit", resolve)), 7);
});
`,
  },
  cold: "git init -q . && npm install --no-audit --no-fund && npm run --silent build && npm test --silent && " +
    "node dist/main.js && git config core.hooksPath",
  warm: "npm install --no-audit --no-fund --offline --ignore-scripts && node_modules/.bin/esbuild --version",
  expected: /^added \d+ packages[^]*^# pass 3$[^]*^addon 42\n\.hooks$/m,
  expectedWarm: /^added \d+ packages[^]*^0\.25\.10$/m,
};
