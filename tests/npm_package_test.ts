/** The npm package as a person gets it: installed by each package manager, started by a client, removed. */
import assert from "node:assert/strict";
import { Agent } from "../scripts/client/agent.ts";
import { writeTarball } from "../scripts/release/archive.ts";
import { npmFiles } from "../scripts/release/npm/npm_package.ts";
import { until } from "./_support/deadline.ts";
import { npmEnvironment, PROJECT, RUNTIME, runWords } from "./_support/packages/npm_package.ts";
import { BUN_VERSION, npmTool, testCache } from "./_support/packages/npm_tools.ts";
import { processesWith } from "./_support/processes.ts";
import { exists, Workbench } from "./_support/workbench.ts";

const CI = Deno.env.get("CI") === "true";

const place = await Deno.realPath(await Deno.makeTempDir({ prefix: "ahma-npm-package-" }));
globalThis.addEventListener("unload", () => Deno.removeSync(place, { recursive: true }));
const TARBALL = `${place}/ahma_mcp.tgz`;
await writeTarball(TARBALL, await npmFiles(PROJECT));
const [npm12, pnpm, bun] = await Promise.all([
  npmTool("npm", "12.2.0"),
  npmTool("pnpm", "12.21.0"),
  npmTool("bun", BUN_VERSION),
]);

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
    ...npm12,
    name: `${npm12.name}, globally`,
    install: [...npm12.command, "install", "--global", "--prefix={prefix}", ...QUIET, TARBALL],
    remove: [...npm12.command, "uninstall", "--global", "--prefix={prefix}", "ahma_mcp"],
  },
  {
    // The npm of this machine installs it too: into its cache.
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
        const { code, stdout, stderr } = await runWords(bench, install);
        assert.strictEqual(code, 0, stdout + stderr);
        assert.doesNotMatch(stdout + stderr, /script/i, "nothing is to run at the install");
      }
      const [command = "", ...args] = start.map((word) => word.replace("{prefix}", `${bench.parent}/prefix`));
      const line = { command, args, directory: bench.scope, environment: npmEnvironment(bench) };
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
      const removed = await runWords(bench, remove);
      assert.strictEqual(removed.code, 0, removed.stdout + removed.stderr);
      const places = ["ahma_mcp", ".bin/ahma_mcp", `@deno/${RUNTIME.platform}`].map((one) => `node_modules/${one}`);
      assert.deepStrictEqual(places.filter((one) => exists(`${bench.scope}/${one}`)), []);
      if (exists(`${bench.parent}/prefix`)) assert.deepStrictEqual(filesBelow(`${bench.parent}/prefix`), []);
    },
  });
}
