/** `version --check`, which alone asks for updates, and starts of the program, which ask no one. */
import assert from "node:assert/strict";
import { VERSION } from "../src/base/version.ts";
import { programStart } from "./_support/program.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, Workbench } from "./_support/workbench.ts";

const CI = Deno.env.get("CI") === "true";
const SCRIPT = new URL("../dist/ahma_mcp", import.meta.url).pathname;
const STRACE = "/usr/bin/strace";
const WITHOUT = exists(STRACE) ? "" : ` (ignored: ${STRACE} is not installed)`;

/** A registry that gives one answer, and the requests that came. */
function registry(answer: () => Response): AsyncDisposable & { readonly url: string; readonly seen: string[] } {
  const seen: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    seen.push(`${request.method} ${new URL(request.url).pathname}`);
    return answer();
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { url, seen, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** What `version --check` says when the registry answers so. */
async function checked(bench: Workbench, answer: () => Response) {
  await using there = registry(answer);
  const environment = { npm_config_registry: `${there.url}/` };
  const { code, stdout, stderr } = await runProgram(bench, ["version", "--check"], { script: true, environment });
  return { code, stdout, stderr: stderr.replaceAll(there.url, "URL"), seen: there.seen };
}

Deno.test("L9 version shows the version; with --check it asks once, and recognizes a newer version", async () => {
  using bench = new Workbench();
  assert.deepStrictEqual(await runProgram(bench, ["version"]), {
    code: 0,
    stdout: `ahma_mcp ${VERSION}\n`,
    stderr: "",
  });
  const seen = ["GET /ahma_mcp/latest"];
  const same = await checked(bench, () => Response.json({ version: VERSION }));
  assert.deepStrictEqual(same, { code: 0, stdout: `ahma_mcp ${VERSION} is the newest version\n`, stderr: "", seen });
  assert.deepStrictEqual(await checked(bench, () => Response.json({ version: "12.0.0" })), {
    code: 0,
    stdout: `ahma_mcp 12.0.0 is out, and this is ${VERSION}. Get it the way you got this one, such as npm install -g ` +
      "ahma_mcp@12.0.0\n",
    stderr: "",
    seen,
  });
});

Deno.test("L9 version --check asks the registry that npm takes for the user, and says where npm names none", async () => {
  using bench = new Workbench();
  bench.write(".npmrc", "registry=http://registry.invalid/\n");
  await using there = registry(() => Response.json({ version: VERSION }));
  const npm = async (name: string, line: string) => {
    const path = bench.write(`${bench.parent}/${name}/npm`, `#!/bin/sh\n${line}\n`);
    await Deno.chmod(path, 0o755);
    const { code, stdout, stderr } = await runProgram(bench, ["version", "--check"], {
      script: true,
      environment: { PATH: `${bench.parent}/${name}:/usr/bin:/bin` },
    });
    return [code, stdout + stderr];
  };
  assert.deepStrictEqual(
    await npm("good", `[ "$PWD" = / ] && [ "$*" = "config get registry" ] && echo ${there.url}/`),
    [
      0,
      `ahma_mcp ${VERSION} is the newest version\n`,
    ],
  );
  assert.deepStrictEqual(there.seen, ["GET /ahma_mcp/latest"]);
  assert.deepStrictEqual(await npm("bad", "echo undefined"), [
    1,
    "Cannot tell which registry to ask: npm does not say. Set npm_config_registry to the address of one\n",
  ]);
});

Deno.test("L9 version --check says why no answer came, and shows no foreign text as it is", async () => {
  using bench = new Workbench();
  const hostile = await checked(bench, () => Response.json({ version: "9.9.9\x1b[2J\u202e; rm -rf ~" }));
  assert.deepStrictEqual([hostile.code, hostile.stdout], [1, ""]);
  assert.match(
    hostile.stderr,
    /^Cannot ask "URL\/ahma_mcp\/latest" for .*: its answer names the version "9\.9\.9\\u001b\[2J/,
  );
  assert.deepStrictEqual(["\x1b", "\u202e"].filter((character) => hostile.stderr.includes(character)), []);
  const environment = { npm_config_registry: "http://registry.invalid" };
  const offline = await runProgram(bench, ["version", "--check"], { script: true, environment });
  assert.deepStrictEqual([offline.code, offline.stdout], [1, ""]);
  assert.match(
    offline.stderr,
    /^Cannot ask "http:\/\/registry\.invalid\/ahma_mcp\/latest" for the newest version: dns error/,
  );
  const without = await runProgram(bench, ["version", "--check"], { environment });
  assert.match(without.stderr, /this runtime was started without network permission \(--allow-net\)/);
});

Deno.test({
  name: `L9 no start of the program connects to anything, but version --check does${WITHOUT}`,
  ignore: !exists(STRACE) && !CI,
  fn: async () => {
    using bench = new Workbench();
    const log = `${bench.parent}/calls`;
    const prefix = [STRACE, "-f", "-qq", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", log];
    const connections = async (words: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
      const [command = "", ...args] = [...prefix, SCRIPT, ...words];
      const env = { ...programStart(bench, []).environment, AHMA_DENO: Deno.execPath(), ...environment };
      const { code } = await new Deno.Command(command, { args, cwd: bench.scope, clearEnv: true, env, stdin: "null" })
        .output();
      const lines = (await Deno.readTextFile(log)).split("\n").filter((line) => line.includes("AF_INET"));
      return { code, connects: lines.length > 0 };
    };
    const starts = [["--version"], [], ["call", "sandboxed_shell", "--", "echo run"]];
    for (const words of starts) {
      assert.deepStrictEqual(await connections(words), { code: 0, connects: false }, words.join(" "));
    }
    await using there = registry(() => Response.json({ version: VERSION }));
    const asked = await connections(["version", "--check"], { npm_config_registry: there.url });
    assert.deepStrictEqual(asked, { code: 0, connects: true });
  },
});
