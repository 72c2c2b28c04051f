/** What starts the npm package: the scripts in it, on systems that have what they need and on others. */
import assert from "node:assert/strict";
import { writeTarball } from "../scripts/release/archive.ts";
import { npmFiles, npmManifest } from "../scripts/release/npm/npm_package.ts";
import { projectFacts } from "../scripts/release/project.ts";
import { VERSION } from "../src/base/version.ts";
import { until, withDeadline } from "./_support/deadline.ts";
import { npmEnvironment, PROJECT, RUNTIME, runWords, unpacked } from "./_support/packages/npm_package.ts";
import { processesWith } from "./_support/processes.ts";
import { copyProgram, exists, Workbench } from "./_support/workbench.ts";

const CI = Deno.env.get("CI") === "true";

Deno.test("D2 the start script says what is missing, and what to do", async () => {
  using bench = new Workbench();
  const script = `${await unpacked(bench)}/bin/ahma_mcp`;
  assert.deepStrictEqual(await runWords(bench, [script, "--version"]), {
    code: 1,
    stdout: "",
    stderr: `Cannot start ahma_mcp: the package @deno/${RUNTIME.platform} is missing. Install ahma_mcp again on this ` +
      "machine, with --include=optional\n",
  });
  const other = await runWords(bench, ["setarch", "linux32", script, "--version"]);
  assert.deepStrictEqual([other.code, other.stdout], [1, ""]);
  assert.match(
    other.stderr,
    /^Cannot start ahma_mcp: there is no runtime for Linux (i686|armv8l), only for Linux and /,
  );
});

const BUSYBOX = "/usr/bin/busybox";
const CANNOT_CHANGE_ROOT = exists(BUSYBOX) ? "" : ` (ignored: ${BUSYBOX} is not installed)`;

Deno.test({
  name: `D2 the start script says on a system without glibc that it needs one${CANNOT_CHANGE_ROOT}`,
  ignore: !exists(BUSYBOX) && !CI,
  fn: async () => {
    using bench = new Workbench();
    // A system of one static program, as small as Alpine's: no glibc at all.
    const root = `${bench.parent}/root`;
    await Deno.mkdir(`${root}/bin`, { recursive: true });
    await copyProgram(BUSYBOX, `${root}/bin/busybox`);
    await copyProgram(`${await unpacked(bench)}/bin/ahma_mcp`, `${root}/ahma_mcp`);
    for (const name of ["sh", "readlink", "uname"]) await Deno.symlink("busybox", `${root}/bin/${name}`);
    const inside = ["unshare", "--map-root-user", "/usr/sbin/chroot", root, "/bin/sh", "/ahma_mcp", "--version"];
    assert.deepStrictEqual(await runWords(bench, inside), {
      code: 1,
      stdout: "",
      stderr:
        `Cannot start ahma_mcp: the runtime needs glibc 2.27 or newer, and this system has no ${RUNTIME.loader}. ` +
        "Use a system with glibc; Alpine has musl\n",
    });
  },
});

Deno.test("D2 the program for Node starts the runtime, passes signals on and ends as it does", async () => {
  using bench = new Workbench();
  const directory = await unpacked(bench);
  const program = `${directory}/bin/ahma_mcp.cjs`;
  const missing = await runWords(bench, ["node", program, "--version"]);
  assert.match(missing.stderr, /^Cannot start ahma_mcp: the package @deno\/\S+ is missing \(MODULE_NOT_FOUND\)/);
  const runtime = `${directory}/node_modules/@deno/${RUNTIME.platform}`;
  await Deno.mkdir(runtime, { recursive: true });
  await Deno.writeTextFile(`${runtime}/package.json`, "{}");
  await Deno.symlink(Deno.execPath(), `${runtime}/deno`);
  assert.deepStrictEqual(await runWords(bench, ["node", program, "--version"]), {
    code: 0,
    stdout: `ahma_mcp ${VERSION}\n`,
    stderr: "",
  });
  assert.strictEqual((await runWords(bench, ["node", program, "--no-such-flag"])).code, 2);
  const options = { args: [program], cwd: bench.scope, clearEnv: true, env: npmEnvironment(bench) };
  const server = new Deno.Command("node", { ...options, stdin: "piped", stdout: "null", stderr: "null" }).spawn();
  await bench.processesAppear("ahma_mcp.mjs", 20_000);
  server.kill("SIGTERM");
  await withDeadline(server.status, 20_000, "the end of node");
  await until(async () => (await processesWith(bench.marker)).length === 0, 20_000, "the end of every process");
  await server.stdin.close();
});

Deno.test("D2 the package names the runtime exactly, runs nothing at the install, and packs to the same bytes", async () => {
  const manifest = npmManifest(PROJECT);
  assert.deepStrictEqual(Object.keys(manifest).toSorted(), [
    ...["author", "bin", "bugs", "cpu", "description", "files", "homepage", "keywords", "license", "mcpName", "name"],
    ...["optionalDependencies", "os", "repository", "version"],
  ]);
  assert.deepStrictEqual([manifest["mcpName"], manifest["version"]], ["io.github.owner/ahma_mcp", VERSION]);
  const versions = Object.values(manifest["optionalDependencies"] ?? {});
  assert.deepStrictEqual(versions, versions.map(() => Deno.version.deno));
  using bench = new Workbench();
  const packed = await Promise.all(["one", "deeper/two"].map(async (name) => {
    await writeTarball(`${bench.parent}/${name}`, await npmFiles(PROJECT));
    return (await Deno.readFile(`${bench.parent}/${name}`)).toHex();
  }));
  assert.strictEqual(packed[0], packed[1]);
  assert.deepStrictEqual(npmManifest(projectFacts(undefined))["mcpName"], undefined);
  assert.throws(() => projectFacts("no-repository"), /"no-repository" is no repository: give OWNER\/NAME/);
});
