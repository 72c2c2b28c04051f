/** `dist/ahma_mcp` as a person starts it: which runtime it finds, what commands see of it, and that signals arrive. */
import assert from "node:assert/strict";
import { VERSION } from "../src/base/version.ts";
import { until, withDeadline } from "./_support/deadline.ts";
import { readLines } from "./_support/line_reader.ts";
import { installNpmDeno } from "./_support/packages/npm_deno.ts";
import { processesWith } from "./_support/processes.ts";
import { programStart } from "./_support/program.ts";
import { runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

const SCRIPT = new URL("../dist/ahma_mcp", import.meta.url).pathname;
const HTTP = ["--mode", "http", "--http-port", "0"];

const place = await Deno.realPath(await Deno.makeTempDir({ prefix: "ahma-npm-" }));
globalThis.addEventListener("unload", () => Deno.removeSync(place, { recursive: true }));
const shim = await installNpmDeno(place);
const WITHOUT_NPM = shim === undefined ? " (needs npm and its registry)" : "";

interface Started extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  readonly status: Promise<Deno.CommandStatus>;
}

/** Starts `words` with these variables, and waits until an HTTP server listens. */
async function listening(bench: Workbench, words: readonly string[], env: Record<string, string>): Promise<Started> {
  const [command = "", ...args] = words;
  const child = new Deno.Command(command, {
    args,
    cwd: bench.scope,
    clearEnv: true,
    env: { ...programStart(bench, []).environment, ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let said = "";
  const read = (line: string) => {
    said += `${line}\n`;
    const port = /Listening on http:\S+:(\d+)\//.exec(line)?.[1];
    if (port !== undefined) resolve(Number(port));
  };
  const reading = Promise.all([readLines(child.stdout, read), readLines(child.stderr, read)])
    .then(() => reject(new Error(`The server did not start. It wrote:\n${said}`)));
  const port = await withDeadline(promise, 30_000, "the server to listen");
  return {
    pid: child.pid,
    port,
    status: child.status,
    async [Symbol.asyncDispose]() {
      for (const { pid } of await processesWith(bench.marker)) Deno.kill(pid, "SIGKILL");
      await Promise.all([child.status, reading]);
    },
  };
}

async function assertNothingIsLeft(bench: Workbench, { port, status }: Started): Promise<void> {
  await withDeadline(status, 20_000, "the end of what was started");
  const left = async () => (await processesWith(bench.marker)).map(({ command }) => command);
  await until(async () => (await left()).length === 0, 20_000, "the end of every process");
  await assert.rejects(Deno.connect({ hostname: "127.0.0.1", port }), Deno.errors.ConnectionRefused);
}

/** A program that passes no signals on, and that the script cannot know. */
async function foreignWrapper(bench: Workbench): Promise<string> {
  const path = bench.write(`${bench.parent}/wrapper`, `#!/bin/sh\n"${Deno.execPath()}" "$@"\nexit $?\n`);
  await Deno.chmod(path, 0o755);
  return path;
}

/** How the program that was started is asked to end: the words before its own, and the signal to it. */
const ENDS = {
  "SIGTERM to the process that was started": [[], "SIGTERM"],
  "Ctrl-C on a terminal": [["python3", new URL("_support/ctrl_c.py", import.meta.url).pathname], "SIGUSR1"],
} as const;

interface Behind {
  readonly variables: (bench: Workbench) => Promise<Record<string, string>>;
  readonly ends: readonly (keyof typeof ENDS)[];
}

/** The runtimes that stand behind another program; npm's shim is the same one wherever it is found. */
const BEHIND: Readonly<Record<string, Behind>> = {
  "npm's shim on the PATH": {
    variables: () => Promise.resolve({ PATH: `${place}/bin:${Deno.env.get("PATH")}` }),
    ends: ["Ctrl-C on a terminal"],
  },
  "a wrapper that the script does not know": {
    variables: async (bench) => ({ AHMA_DENO: await foreignWrapper(bench) }),
    ends: ["SIGTERM to the process that was started", "Ctrl-C on a terminal"],
  },
};

for (const [what, { variables, ends }] of Object.entries(BEHIND)) {
  const npm = what.startsWith("npm");
  for (const end of ends) {
    Deno.test({
      name: `X14 L7 ${end} ends the server, whose mode is in a settings file of the user, behind ${what}${
        npm ? WITHOUT_NPM : ""
      }`,
      ignore: Deno.build.os !== "linux" || npm && shim === undefined,
      fn: async () => {
        using bench = new Workbench();
        bench.write(`${bench.home}/.config/ahma/settings.json`, '{ "mode": "http", "http_port": 0 }');
        const [words, signal] = ENDS[end];
        await using server = await listening(bench, [...words, SCRIPT], await variables(bench));
        const health = await fetch(`http://127.0.0.1:${server.port}/health`);
        assert.deepStrictEqual([health.status, (await health.text()).length > 0], [200, true]);
        Deno.kill(server.pid, signal);
        await assertNothingIsLeft(bench, server);
      },
    });
  }
}

Deno.test({
  name: `L6 the runtime behind npm's shim is found before and after its first run${WITHOUT_NPM}`,
  ignore: shim === undefined,
  fn: async () => {
    using bench = new Workbench();
    const found = async () => {
      const environment = { AHMA_DENO: shim ?? "" };
      const { stdout } = await runProgram(bench, ["init", "--client", "codex", "--dry-run"], {
        script: true,
        environment,
      });
      return /^\+ AHMA_DENO = "(.*)"$/m.exec(stdout)?.[1];
    };
    const own = `${place}/lib/node_modules/deno`;
    const [platform] = await Array.fromAsync(Deno.readDir(`${own}/node_modules/@deno`));
    assert.strictEqual(await found(), `${own}/node_modules/@deno/${platform?.name}/deno`);
    await new Deno.Command(shim ?? "", { args: ["--version"] }).output();
    assert.strictEqual(await found(), `${own}/deno`);
  },
});

Deno.test("L6 the start script runs nothing of the project, whatever empty and relative places the PATH has", async () => {
  using bench = new Workbench();
  const link = `${bench.parent}/ahma`;
  await Deno.symlink(SCRIPT, link);
  for (const name of ["deno", "readlink", "uname"]) {
    for (const path of [name, `bin/${name}`]) {
      bench.write(`${bench.scope}/${path}`, `#!/bin/sh\necho "planted ${path}"\n`);
      await Deno.chmod(`${bench.scope}/${path}`, 0o755);
    }
  }
  const runtime = Deno.execPath().replace(/\/[^/]*$/, "");
  const said = async (command: string, args: readonly string[], PATH: string) => {
    const env = { ...programStart(bench, []).environment, PATH };
    const { stdout } = await new Deno.Command(command, { args: [...args], cwd: bench.scope, clearEnv: true, env })
      .output();
    return new TextDecoder().decode(stdout);
  };
  const path = `:./bin:bin:::.:${runtime}:/usr/bin:/bin`;
  assert.strictEqual(await said(link, ["--version"], path), `ahma_mcp ${VERSION}\n`);
  // The control.
  assert.match(await said("/bin/sh", ["-c", "deno"], path), /^planted/);
});

Deno.test("L6 doctor names the runtime and what it runs, and warns of a wrapper program", async () => {
  using bench = new Workbench();
  const found = async (AHMA_DENO: string) => {
    const { stdout } = await runProgram(bench, ["doctor", "--json"], { script: true, environment: { AHMA_DENO } });
    const { checks }: { checks: { id: string; status: string; message: string }[] } = JSON.parse(stdout);
    return checks.filter(({ id }) => id === "runtime").map(({ status, message }) => [status, message]);
  };
  const runtime = `deno ${Deno.version.deno}, ${Deno.execPath()}, runs the packed program ${SCRIPT}.mjs`;
  const behind =
    `${runtime}, started by another program, which does not forward signals: set AHMA_DENO to the runtime's path`;
  assert.deepStrictEqual(await found(Deno.execPath()), [["ok", runtime]]);
  assert.deepStrictEqual(await found(await foreignWrapper(bench)), [["warning", behind]]);
});

Deno.test({
  name:
    `X14 a server in the background behind npm's shim in AHMA_DENO outlives its shell, and SIGTERM ends it${WITHOUT_NPM}`,
  ignore: Deno.build.os !== "linux" || shim === undefined,
  fn: async () => {
    using bench = new Workbench();
    const words = ["sh", "-c", '"$0" "$@" &', SCRIPT, ...HTTP];
    await using server = await listening(bench, words, { AHMA_DENO: shim ?? "" });
    assert.strictEqual((await server.status).code, 0);
    const health = await fetch(`http://127.0.0.1:${server.port}/health`);
    assert.deepStrictEqual([health.status, (await health.text()).length > 0], [200, true]);
    const [running] = (await processesWith(bench.marker)).filter(({ command }) => command.includes("--mode http"));
    Deno.kill(running?.pid ?? 0, "SIGTERM");
    await assertNothingIsLeft(bench, server);
  },
});

Deno.test("S26 the runtime adds nothing of its own to what commands see, and loads no module that NODE_OPTIONS names", async () => {
  using bench = new Workbench();
  const folder = `${bench.parent}/bin`;
  await Deno.mkdir(folder);
  for (const name of ["bash", "sh", "env", "sort"]) await Deno.symlink(`/usr/bin/${name}`, `${folder}/${name}`);
  const module = bench.write(`${bench.parent}/loaded.cjs`, 'console.log("loaded");\n');
  const environment = { PATH: folder, NODE_OPTIONS: `--require ${module}` };
  // Commands get the options by --env.
  const words = [
    "--env",
    "NODE_OPTIONS",
    "sandboxed_shell",
    "--quiet",
    'echo "$NODE_OPTIONS"; echo "$PATH"; env | sort',
  ];
  const seen = async ({ script }: { readonly script: boolean }) => {
    const { stdout, stderr } = await runProgram(bench, words, { script, environment });
    const lines = stdout.trimEnd().split("\n");
    const [options, path, ...variables] = script ? lines : lines.slice(lines.indexOf(environment.NODE_OPTIONS));
    return {
      loaded: stdout.startsWith("loaded\n"),
      stderr,
      options,
      // What commands install comes last.
      path: path?.split(":").filter((one) => !one.startsWith(`${bench.home}/.cache/`)).join(":"),
      deno: variables.filter((one) => one.includes("node_compat") || /^(AHMA|DENO_(NODE|DIS))/.test(one)),
    };
  };
  // The control: the runtime itself obeys the options, and without node on the PATH puts one of its own in front.
  const without = await seen({ script: false });
  assert.ok(without.loaded);
  assert.match(without.path ?? "", /\/node_compat_bin:/);
  const options = environment.NODE_OPTIONS;
  assert.deepStrictEqual(await seen({ script: true }), { loaded: false, stderr: "", options, path: folder, deno: [] });
});

Deno.test("S3 the program keeps the permission for the network only where it serves or asks over HTTP", async () => {
  using bench = new Workbench();
  const source = new URL("../src/cli/program.ts", import.meta.url).pathname;
  const runs = [["version", "--check"], ["list-tools", "--http", "http://127.0.0.1:1/mcp"], ["--no-sandbox"]];
  const program = bench.write(
    `${bench.parent}/ask.ts`,
    `import { main } from ${JSON.stringify(source)};\nfor (const words of ${JSON.stringify(runs)}) {\n` +
      'await main(words);\nconsole.error("net", (await Deno.permissions.query({ name: "net" })).state);\n}\n',
  );
  // The modules of this very test; another cache would fetch them all.
  const cache = Deno.env.get("DENO_DIR") ??
    `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`}/deno`;
  const config = new URL("../deno.json", import.meta.url).pathname;
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--config", config, "-RWENS", "--allow-run", "--allow-ffi", program],
    cwd: bench.scope,
    env: { HOME: bench.home, DENO_DIR: cache, npm_config_registry: "http://127.0.0.1:1" },
    stdin: "null",
  }).output();
  const said = new TextDecoder().decode(stderr);
  assert.deepStrictEqual(said.match(/^net .*$/gm), ["net granted", "net granted", "net prompt"], said);
});
