/**
 * A whole release: each file is used as its reader would. In the place of the executable, whose 100 MB take seconds to pack,
 * stands a script that starts the packed program; tests/executable starts the executable.
 */
import assert from "node:assert/strict";
import { ownTarget } from "../scripts/executable/pins.ts";
import { archiveName, mcpbName } from "../scripts/release/asset.ts";
import { projectFacts } from "../scripts/release/project.ts";
import { writeRelease } from "../scripts/release/write_release.ts";
import { VERSION } from "../src/base/version.ts";
import { withDeadline } from "./_support/deadline.ts";
import { readLines } from "./_support/line_reader.ts";
import { npmTool } from "./_support/packages/npm_tools.ts";
import { testRuntime } from "./_support/runtime.ts";
import { exists, Workbench } from "./_support/workbench.ts";

const PROJECT = projectFacts("owner/ahma_mcp");
const TARGET = ownTarget(Deno.build) ?? "linux-x64";
const CI = Deno.env.get("CI") === "true";

const place = await Deno.realPath(await Deno.makeTempDir({ prefix: "ahma-release-" }));
globalThis.addEventListener("unload", () => Deno.removeSync(place, { recursive: true }));
const RELEASE = `${place}/release`;
const ROOT = new URL("../", import.meta.url).pathname;
/** Of all programs here: the first start in a home tries the sandbox for the others. */
const HOME = `${place}/home`;
await Deno.mkdir(HOME);
const PROGRAM = `${place}/program`;
const { cache } = testRuntime(Deno.uid() === 0 ? "root" : "ordinary");
const VARIABLES = `AHMA_DENO='${Deno.execPath()}' DENO_DIR='${cache}'`;
await Deno.writeTextFile(PROGRAM, `#!/bin/sh\nexport ${VARIABLES}\nexec '${ROOT}dist/ahma_mcp' "$@"\n`, {
  mode: 0o755,
});
const programs = new Map([[TARGET, PROGRAM]]);
const ASSETS = await writeRelease({ project: PROJECT, programs, directory: RELEASE });

const mcpb = await npmTool("@anthropic-ai/mcpb", "2.1.2", "mcpb");

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(words: readonly string[], options: Deno.CommandOptions = {}): Promise<Ran> {
  const [command = "", ...args] = words;
  const { code, stdout, stderr } = await new Deno.Command(command, { ...options, args, stdin: "null" }).output();
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

Deno.test("D4 SHA256SUMS names each asset of a release, and holds", async () => {
  const name = `ahma_mcp-${VERSION}`;
  assert.deepStrictEqual(ASSETS, [
    ...[`${name}-${TARGET}.mcpb`, `${name}-${TARGET}.tar.gz`, `${name}-packaging.tar.gz`],
    ...[`${name}-without-runtime.tar.gz`, `${name}.cdx.json`, `${name}.tgz`, "server.json"],
  ]);
  assert.deepStrictEqual(await run(["sha256sum", "--check", "SHA256SUMS"], { cwd: RELEASE }), {
    code: 0,
    stdout: ASSETS.map((asset) => `${asset}: OK\n`).join(""),
    stderr: "",
  });
});

Deno.test({
  name: `D4 the bundle for MCP clients is valid, unpacks to a program that runs, and names its tools${
    mcpb.problem === undefined ? "" : `: ${mcpb.problem}`
  }`,
  ignore: mcpb.problem !== undefined && !CI,
  fn: async () => {
    using bench = new Workbench();
    const bundle = `${RELEASE}/${mcpbName(PROJECT, TARGET)}`;
    const unpacked = `${bench.parent}/unpacked`;
    assert.strictEqual((await run([...mcpb.command, "unpack", bundle, unpacked])).code, 0);
    const checked = await run([...mcpb.command, "validate", `${unpacked}/manifest.json`]);
    assert.strictEqual(checked.code, 0, checked.stdout + checked.stderr);
    const { server, tools } = JSON.parse(await Deno.readTextFile(`${unpacked}/manifest.json`));
    // The client puts in the place of the bundle and what the user chose.
    const filled = (text: string) =>
      text.replace("${__dirname}", unpacked).replace("${user_config.scope}", bench.scope);
    const { command, args } = server.mcp_config;
    const options = { cwd: bench.parent, clearEnv: true, env: { HOME, PATH: "/usr/bin:/bin" } };
    const words = [...args.map(filled), "list-tools", "--json"];
    const listed = await run([filled(command), ...words], options);
    assert.strictEqual(listed.code, 0, listed.stderr);
    const listing: { readonly tools: readonly { readonly name: string }[] } = JSON.parse(listed.stdout);
    const names = listing.tools.map(({ name }) => name);
    const promised: readonly string[] = tools.map(({ name }: { readonly name: string }) => name);
    assert.deepStrictEqual(promised.filter((name) => !names.includes(name)), []);
    assert.deepStrictEqual(names.filter((name) => !promised.includes(name) && !name.startsWith("git_")), []);
  },
});

Deno.test("D4 the PKGBUILD makes a package from the archive, with the program and its completions", async () => {
  using bench = new Workbench();
  const source = `${bench.parent}/src`;
  await Deno.mkdir(source);
  await run(["tar", "-xzf", `${RELEASE}/${archiveName(PROJECT, TARGET)}`, "-C", source]);
  const build = 'pkgdir="$1"; source "$2" && package';
  const built = await run(["bash", "-euc", build, "bash", `${bench.parent}/pkg`, `${RELEASE}/aur/PKGBUILD`], {
    cwd: source,
    env: { HOME },
  });
  assert.strictEqual(built.code, 0, built.stderr);
  const installed = `${bench.parent}/pkg/usr`;
  const version = await run([`${installed}/bin/ahma_mcp`, "--version"], { env: { HOME } });
  assert.strictEqual(version.stdout, `ahma_mcp ${VERSION}\n`);
  const files = [
    ...["bash-completion/completions/ahma_mcp", "zsh/site-functions/_ahma_mcp"],
    ...["fish/vendor_completions.d/ahma_mcp.fish", "licenses/ahma-mcp-bin/LICENSE-MIT"],
  ];
  assert.deepStrictEqual(files.filter((file) => !exists(`${installed}/share/${file}`)), []);
});

Deno.test("D4 the packed program without its runtime runs with the runtime of the machine", async () => {
  using bench = new Workbench();
  await run(["tar", "-xzf", `${RELEASE}/ahma_mcp-${VERSION}-without-runtime.tar.gz`, "-C", bench.parent]);
  const env = { HOME, PATH: "/usr/bin:/bin", AHMA_DENO: Deno.execPath() };
  const { stdout } = await run([`${bench.parent}/ahma_mcp`, "--version"], { clearEnv: true, env });
  assert.strictEqual(stdout, `ahma_mcp ${VERSION}\n`);
});

Deno.test("D4 what the container starts listens, asks for the token, and ends at once when it is told to", async () => {
  using bench = new Workbench();
  const text = await Deno.readTextFile(`${RELEASE}/container/Dockerfile`);
  const entry: readonly string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(text)?.[1] ?? "");
  const args = [...entry.slice(1).map((word) => word === "/work" ? bench.scope : word), "--http-port", "0"];
  const env = { HOME, PATH: "/usr/bin:/bin" };
  const options = {
    args,
    cwd: bench.scope,
    clearEnv: true,
    env,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  } as const;
  const server = new Deno.Command(PROGRAM, options).spawn();
  const { promise, resolve } = Promise.withResolvers<string>();
  const reading = readLines(server.stderr, (line) => {
    const port = /^Listening on http:\/\/0\.0\.0\.0:(\d+)\/mcp$/.exec(line)?.[1];
    if (port !== undefined) resolve(port);
  });
  const port = await withDeadline(promise, 30_000, "the server to listen");
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", body: "{}" });
  await answer.body?.cancel();
  server.kill("SIGTERM");
  const { code } = await withDeadline(server.status, 30_000, "the end of the server");
  await reading;
  assert.deepStrictEqual([answer.status, code], [401, 0]);
});

Deno.test("D4 a copy of the sources in another directory gives the same program, executable and npm package", async () => {
  const copy = `${place}/another place`;
  const sources = ["--cached", "--others", "--exclude-standard", "--", ":!tests", ":!*_test.ts"];
  const listed = await run(["git", "ls-files", "-z", ...sources], { cwd: ROOT });
  const files = listed.stdout.split("\0").filter((path) => path !== "" && exists(`${ROOT}${path}`));
  await Deno.mkdir(copy);
  const copied = await run(["cp", "--parents", "--target-directory", copy, ...files], { cwd: ROOT });
  assert.strictEqual(copied.code, 0, copied.stderr);
  // What deno task package:npm runs once the program is packed.
  const npmScript = [
    "run",
    "--no-prompt",
    "-RWE",
    "--allow-run",
    "scripts/release/npm/package_npm.ts",
    "--repository",
    "owner/ahma_mcp",
  ];
  for (const words of [["task", "compile"], npmScript]) {
    const { code, stderr } = await run([Deno.execPath(), ...words], { cwd: copy });
    assert.strictEqual(code, 0, stderr);
  }
  const assertSame = async (one: string, other: string) =>
    assert.deepStrictEqual(await run(["cmp", one, other]), { code: 0, stdout: "", stderr: "" });
  for (const path of [`dist/bin/ahma_mcp-${TARGET}`, "dist/ahma_mcp", "dist/ahma_mcp.mjs"]) {
    await assertSame(`${copy}/${path}`, `${ROOT}${path}`);
  }
  const npm = `ahma_mcp-${VERSION}.tgz`;
  await assertSame(`${copy}/dist/npm/${npm}`, `${RELEASE}/${npm}`);
});

Deno.test("D4 deno task release refuses to work without a repository, and for a tag of another version", async () => {
  const script = new URL("../scripts/release/release.ts", import.meta.url).pathname;
  const failing = async (env: Record<string, string>) => {
    const words = [Deno.execPath(), "run", "--no-prompt", "-RE", script];
    const { code, stderr } = await run(words, { clearEnv: true, env: { HOME: Deno.env.get("HOME") ?? "", ...env } });
    return [code, stderr];
  };
  assert.deepStrictEqual(await failing({}), [1, "Give the repository on GitHub: --repository OWNER/NAME\n"]);
  const tag = { GITHUB_REPOSITORY: "owner/ahma_mcp", GITHUB_REF_TYPE: "tag", GITHUB_REF_NAME: "v9.9.9" };
  assert.deepStrictEqual(await failing(tag), [
    1,
    `Tag "v9.9.9" is not v${VERSION}, the version in src/base/version.ts\n`,
  ]);
});
