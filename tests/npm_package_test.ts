/** The npm package as a person gets it: installed by each package manager, started by a client, removed. */
import assert from "node:assert/strict";
import { npmFiles, npmManifest } from "../scripts/release/npm_package.ts";
import { projectFacts } from "../scripts/release/project.ts";
import { writeFiles, writeTarball } from "../scripts/release/archive.ts";
import { Agent } from "../scripts/client/agent.ts";
import { VERSION } from "../src/base/version.ts";
import { until, withDeadline } from "./_support/deadline.ts";
import { npmTool, testCache } from "./_support/npm_tools.ts";
import { processesWith } from "./_support/processes.ts";
import { exists, Workbench } from "./_support/workbench.ts";

const CI = Deno.env.get("CI") === "true";
const PATH = "/usr/local/bin:/usr/bin:/bin";
const PROJECT = projectFacts("owner/ahma_mcp");

const place = await Deno.realPath(await Deno.makeTempDir({ prefix: "ahma-npm-package-" }));
globalThis.addEventListener("unload", () => Deno.removeSync(place, { recursive: true }));
const TARBALL = `${place}/ahma_mcp.tgz`;
await writeTarball(TARBALL, await npmFiles(PROJECT));
const [npm12, pnpm, bun] = await Promise.all([
  npmTool("npm", "12.2.0"),
  npmTool("pnpm", "12.21.0"),
  npmTool("bun", "1.4.5"),
]);

/** npm's own cache, so that a second run needs no network; npx puts what it installs into `_npx` of its cache. */
const NPM_CACHE = Deno.env.get("npm_config_cache") ?? `${Deno.env.get("HOME")}/.npm`;
/** What a person's machine needs to reach the registry at all: a proxy, certificates, the address of a mirror. */
const REACH = Object.entries(Deno.env.toObject()).filter(([name]) => /proxy|cert|npm_config_registry/i.test(name));
const QUIET = ["--no-audit", "--no-fund", "--prefer-offline"];

/** A way to get the package; words may hold `{prefix}`, a directory outside the project. */
interface Way {
  readonly name: string;
  readonly problem?: string | undefined;
  readonly install: readonly string[];
  readonly start: readonly string[];
  /** Empty: it is not installed by itself. */
  readonly remove: readonly string[];
  /** Programs of the package manager that stay while the server runs. */
  readonly stays: readonly string[];
}

const GLOBALLY = { start: ["{prefix}/bin/ahma_mcp"], stays: [] };
const AS_DEPENDENCY = { start: ["node_modules/.bin/ahma_mcp"], stays: [] };
const WAYS: readonly Way[] = [
  {
    ...GLOBALLY,
    name: "npm of this machine, globally",
    install: ["npm", "install", "--global", "--prefix={prefix}", ...QUIET, TARBALL],
    remove: ["npm", "uninstall", "--global", "--prefix={prefix}", "ahma_mcp"],
  },
  {
    ...GLOBALLY,
    ...npm12,
    name: `${npm12.name}, globally`,
    install: [...npm12.command, "install", "--global", "--prefix={prefix}", ...QUIET, TARBALL],
    remove: [...npm12.command, "uninstall", "--global", "--prefix={prefix}", "ahma_mcp"],
  },
  {
    name: "npx of this machine",
    install: [],
    start: ["npx", "--yes", ...QUIET, `--package=${TARBALL}`, "ahma_mcp"],
    remove: [],
    stays: ["node"],
  },
  {
    ...AS_DEPENDENCY,
    ...pnpm,
    name: `${pnpm.name}, as a dependency`,
    install: [...pnpm.command, "add", "--prefer-offline", TARBALL],
    remove: [...pnpm.command, "remove", "ahma_mcp"],
  },
  {
    ...AS_DEPENDENCY,
    ...bun,
    name: `${bun.name}, as a dependency`,
    install: [...bun.command, "add", TARBALL],
    remove: [...bun.command, "remove", "ahma_mcp"],
  },
];

function environmentOf(bench: Workbench): Record<string, string> {
  const cache = `${bench.parent}/npm-cache`;
  if (!exists(cache)) {
    Deno.mkdirSync(cache);
    Deno.mkdirSync(`${NPM_CACHE}/_cacache`, { recursive: true });
    Deno.symlinkSync(`${NPM_CACHE}/_cacache`, `${cache}/_cacache`);
  }
  const kept = { npm_config_cache: cache, BUN_INSTALL_CACHE_DIR: `${testCache()}/bun-cache` };
  const settings = { npm_config_userconfig: `${Deno.env.get("HOME")}/.npmrc`, npm_config_update_notifier: "false" };
  return { ...Object.fromEntries(REACH), ...settings, ...kept, HOME: bench.home, PATH, LANG: "C.UTF-8", CI: "true" };
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(bench: Workbench, words: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const [command = "", ...args] = words.map((word) => word.replace("{prefix}", `${bench.parent}/prefix`));
  const options = { args, cwd: bench.scope, clearEnv: true, env: { ...environmentOf(bench), ...env } };
  const running = new Deno.Command(command, { ...options, stdin: "null" }).output();
  const { code, stdout, stderr } = await withDeadline(running, 120_000, words.join(" "));
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/** The names of the programs that run for a bench, each once. */
async function programsOf(bench: Workbench): Promise<readonly string[]> {
  const pids = (await processesWith(bench.marker)).map(({ pid }) => `/proc/${pid}/exe`);
  const { stdout } = await new Deno.Command("readlink", { args: pids }).output();
  const names = new TextDecoder().decode(stdout).trim().split("\n").map((path) => path.replace(/^.*\//, ""));
  return [...new Set(names)].toSorted();
}

/** Everything below a directory that is no directory. */
function filesBelow(directory: string): readonly string[] {
  return [...Deno.readDirSync(directory)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${directory}/${name}`) : [`${directory}/${name}`]
  );
}

/** The package lies in the scope here, and is started again from there. */
async function assertKeepsItself(agent: Agent): Promise<void> {
  const written = await agent.shell("echo planted >> node_modules/ahma_mcp/bin/ahma_mcp");
  assert.match(written.text, /Read-only file system/);
  const below = "node_modules/ahma_mcp/node_modules/@deno";
  const planted = await agent.shell(`mkdir -p ${below} && echo planted > ${below}/deno`);
  // pnpm makes the directory, so that it can be held shut; one that appears can only be told.
  assert.match(
    planted.text,
    /Read-only file system|Protected paths changed while this ran: "\S+\/node_modules" created/,
  );
}

for (const { name, problem, install, start, remove, stays } of WAYS) {
  Deno.test({
    name: `D2 the package serves a client and is gone afterwards: ${name}${
      problem === undefined ? "" : `: ${problem}`
    }`,
    ignore: problem !== undefined && !CI,
    // The SDK's client closes with a timer of its own.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      using bench = new Workbench();
      bench.write("package.json", '{ "name": "project", "version": "1.0.0" }\n');
      bench.write(`${bench.home}/.config/pnpm/config.yaml`, `storeDir: ${testCache()}/pnpm-store\n`);
      if (install.length > 0) {
        const { code, stdout, stderr } = await run(bench, install);
        assert.strictEqual(code, 0, stdout + stderr);
        assert.doesNotMatch(stdout + stderr, /script/i, "nothing is to run at the install");
      }
      const [command = "", ...args] = start.map((word) => word.replace("{prefix}", `${bench.parent}/prefix`));
      const line = { command, args, directory: bench.scope, environment: environmentOf(bench) };
      {
        await using agent = Agent.stdio(line);
        await agent.connect();
        const { text, succeeded } = await agent.shell("echo served");
        assert.deepStrictEqual([text.split("\n")[0], succeeded], ["served", true]);
        if (start === AS_DEPENDENCY.start) await assertKeepsItself(agent);
        const running = await programsOf(bench);
        assert.ok(running.includes("deno"), running.join());
        assert.deepStrictEqual(running.filter((one) => ["node", "npm", "bun", "pnpm"].includes(one)), stays);
      }
      await until(async () => (await processesWith(bench.marker)).length === 0, 20_000, "the end of every process");
      if (remove.length === 0) return;
      const removed = await run(bench, remove);
      assert.strictEqual(removed.code, 0, removed.stdout + removed.stderr);
      const places = ["ahma_mcp", ".bin/ahma_mcp", `@deno/${FACTS.platform}`].map((one) => `node_modules/${one}`);
      assert.deepStrictEqual(places.filter((one) => exists(`${bench.scope}/${one}`)), []);
      if (exists(`${bench.parent}/prefix`)) assert.deepStrictEqual(filesBelow(`${bench.parent}/prefix`), []);
    },
  });
}

/** The package in a directory without npm, with this machine's runtime where npm would put it. */
async function unpacked(bench: Workbench): Promise<string> {
  await writeFiles(`${bench.parent}/node_modules`, await npmFiles(PROJECT));
  return `${bench.parent}/node_modules/package`;
}

const FACTS = Deno.build.arch === "aarch64"
  ? { platform: "linux-arm64-glibc", loader: "/lib/ld-linux-aarch64.so.1", machine: "aarch64" }
  : { platform: "linux-x64-glibc", loader: "/lib64/ld-linux-x86-64.so.2", machine: "x86_64" };

Deno.test("D2 the start script says what is missing, and what to do", async () => {
  using bench = new Workbench();
  const script = `${await unpacked(bench)}/bin/ahma_mcp`;
  assert.deepStrictEqual(await run(bench, [script, "--version"]), {
    code: 1,
    stdout: "",
    stderr: `Cannot start ahma_mcp: the package @deno/${FACTS.platform} is missing. Install ahma_mcp again on this ` +
      "machine, with --include=optional\n",
  });
  const other = await run(bench, ["setarch", "linux32", script, "--version"]);
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
    await Deno.copyFile(BUSYBOX, `${root}/bin/busybox`);
    await Deno.copyFile(`${await unpacked(bench)}/bin/ahma_mcp`, `${root}/ahma_mcp`);
    for (const name of ["sh", "readlink", "uname"]) await Deno.symlink("busybox", `${root}/bin/${name}`);
    const inside = ["unshare", "--map-root-user", "/usr/sbin/chroot", root, "/bin/sh", "/ahma_mcp", "--version"];
    assert.deepStrictEqual(await run(bench, inside), {
      code: 1,
      stdout: "",
      stderr: `Cannot start ahma_mcp: the runtime needs glibc 2.27 or newer, and this system has no ${FACTS.loader}. ` +
        "Use a system with glibc; Alpine has musl\n",
    });
  },
});

Deno.test("D2 the program for Node starts the runtime, passes signals on and ends as it does", async () => {
  using bench = new Workbench();
  const directory = await unpacked(bench);
  const program = `${directory}/bin/ahma_mcp.cjs`;
  const missing = await run(bench, ["node", program, "--version"]);
  assert.match(missing.stderr, /^Cannot start ahma_mcp: the package @deno\/\S+ is missing \(MODULE_NOT_FOUND\)/);
  const runtime = `${directory}/node_modules/@deno/${FACTS.platform}`;
  await Deno.mkdir(runtime, { recursive: true });
  await Deno.writeTextFile(`${runtime}/package.json`, "{}");
  await Deno.symlink(Deno.execPath(), `${runtime}/deno`);
  assert.deepStrictEqual(await run(bench, ["node", program, "--version"]), {
    code: 0,
    stdout: `ahma_mcp ${VERSION}\n`,
    stderr: "",
  });
  assert.strictEqual((await run(bench, ["node", program, "--no-such-flag"])).code, 2);
  const options = { args: [program], cwd: bench.scope, clearEnv: true, env: environmentOf(bench) };
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
  const again = `${place}/again/ahma_mcp.tgz`;
  await writeTarball(again, await npmFiles(PROJECT));
  assert.strictEqual((await Deno.readFile(again)).toHex(), (await Deno.readFile(TARBALL)).toHex());
  assert.deepStrictEqual(npmManifest(projectFacts(undefined))["mcpName"], undefined);
  assert.throws(() => projectFacts("no-repository"), /"no-repository" is no repository: give OWNER\/NAME/);
});
