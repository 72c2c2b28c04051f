/** The entries that doctor prints and init writes start a server with the tools they promise, as each client starts it. */
import assert from "node:assert/strict";
import { CLIENTS } from "../src/cli/commands/clients/client_facts.ts";
import { clientSettings } from "../src/cli/commands/clients/client_settings.ts";
import { ENTRY_NETWORK } from "../src/cli/commands/clients/entry_network.ts";
import { type EntryPlace, isTable, type Table, valueAt } from "../src/cli/commands/clients/entry_place.ts";
import { jsonFormat } from "../src/cli/commands/clients/json_format.ts";
import { tomlFormat } from "../src/cli/commands/clients/toml_format.ts";
import { yamlFormat } from "../src/cli/commands/clients/yaml_format.ts";
import { withDeadline } from "./_support/deadline.ts";
import { readLines } from "./_support/line_reader.ts";
import { programStart } from "./_support/program.ts";
import { runOnTerminal, runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";
import { CLIENT_NAMES } from "../src/settings/flags/actions.ts";

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where clients start their servers that do not start them in the project. */
const ELSEWHERE = ["claude-desktop", "cursor", "vscode", "zed"];
const GREET = { name: "greet", description: "Greets.", command: "echo", synchronous: true };
const FORMATS = { json: await jsonFormat(), toml: await tomlFormat(), yaml: await yamlFormat() } as const;

/** The clients with settings files. */
const FILED = CLIENT_NAMES.flatMap((client) => {
  const { settings } = CLIENTS[client];
  return settings === undefined ? [] : [{ client, ...settings }];
});

/** The values of a client's settings file. */
function valuesOf(place: EntryPlace, text: string): Table {
  return JSON.parse(JSON.stringify(FORMATS[place.format].parse(text)));
}

/** What the client starts, in whatever words its settings say it. */
function entryIn(place: EntryPlace, text: string): Entry {
  const value = valueAt(valuesOf(place, text), place, "Ahma");
  assert.ok(isTable(value));
  const { command, args, env, environment } = JSON.parse(JSON.stringify(value));
  const [program, ...words] = Array.isArray(command) ? command : [command, ...args];
  return { command: program, args: words, env: env ?? environment };
}

/** The names of the tools of the server that an entry starts, with the short PATH of a desktop. */
async function toolsOf(bench: Workbench, { command, args, env }: Entry, cwd: string): Promise<readonly string[]> {
  const child = new Deno.Command(command, {
    args: args.map((word) => word.replaceAll("${workspaceFolder}", bench.scope)),
    cwd,
    clearEnv: true,
    env: { ...programStart(bench, []).environment, PATH: "/usr/bin:/bin", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const listed = Promise.withResolvers<readonly string[]>();
  const reading = readLines(child.stdout, (line) => {
    const { id, result } = JSON.parse(line);
    if (id === 2) listed.resolve(result.tools.map(({ name }: { readonly name: string }) => name));
  }).then(() => listed.reject(new Error("The server ended")));
  const input = child.stdin.getWriter();
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
  for (
    const message of [
      { id: 1, method: "initialize", params },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/list", params: {} },
    ]
  ) await input.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
  const names = await withDeadline(listed.promise, 30_000, "the list of tools");
  await input.close();
  await Promise.all([child.status, reading]);
  return names;
}

/** The packed program, as its start script says what it is. */
function packed() {
  const command = new URL("../dist/ahma_mcp", import.meta.url).pathname;
  return { command, args: [], environment: { AHMA_DENO: Deno.execPath() } };
}

Deno.test("L6 every client's entry starts a server with the shipped tools and the project's own", async () => {
  using bench = new Workbench();
  bench.write(".ahma/tools/greet.json", JSON.stringify(GREET));
  const wanted = ["git_status", "greet", "sandboxed_shell"];
  const seen = new Set<string>();
  const settings = await clientSettings(packed(), bench.scope, ENTRY_NETWORK);
  for (const { client, place } of FILED) {
    const entry = entryIn(place, settings.find((one) => one.client === client)?.text ?? "");
    const cwd = ELSEWHERE.includes(client) ? "/" : bench.scope;
    // What differs is what the client starts, and where.
    const start = JSON.stringify([entry, cwd]);
    if (seen.has(start)) continue;
    seen.add(start);
    const names = (await toolsOf(bench, entry, cwd)).map((name) => name.replace(/^ahma_/, ""));
    assert.deepStrictEqual([client, wanted.filter((name) => names.includes(name))], [client, wanted]);
  }
  assert.strictEqual(seen.size, 4);
});

/** A file that another program wrote before, with an entry of its own. */
function othersIn({ format, keys, list }: EntryPlace): string {
  const other = list === true ? [{ name: "other", command: "x" }] : { other: { command: "x" } };
  return FORMATS[format].write({
    theme: "dark",
    ...keys.reduceRight<object>((value, key) => ({ [key]: value }), other),
  });
}

Deno.test("L1 D5 init adds the entry to each client's settings, uninstall removes it from each, and all else stays", async () => {
  using bench = new Workbench();
  const settings = await clientSettings(packed(), bench.scope, ENTRY_NETWORK);
  const files = await Promise.all(FILED.map(async ({ client, file, place }) => {
    const path = file.replace("~/", `${bench.home}/`);
    const absolute = path.startsWith("/") ? path : `${bench.scope}/${path}`;
    const before = othersIn(place);
    bench.write(absolute, before);
    await Deno.chmod(absolute, 0o640);
    return { client, place, absolute, before };
  }));
  const run = (...words: readonly string[]) => runProgram(bench, words, { script: true });
  const all = ["--client", FILED.map(({ client }) => client).join(",")];
  const lines = ({ stdout }: { readonly stdout: string }, pattern: RegExp) => stdout.match(pattern)?.length;
  const unchanged = async () => {
    for (const { client, absolute, before } of files) {
      assert.deepStrictEqual([client, await Deno.readTextFile(absolute)], [client, before]);
    }
  };
  const shown = await run("init", "--dry-run", ...all);
  // A head for each file, and what changes in it.
  const adds = shown.stdout.split(/^[^ +-].*:$/m).slice(1).map((part) => /^\+ .*Ahma/m.test(part));
  assert.deepStrictEqual([shown.code, shown.stderr, adds], [0, "", files.map(() => true)]);
  await unchanged();
  const unasked = await run("init", ...all);
  assert.match(unasked.stderr, /no terminal to ask on\. --yes changes/);
  assert.strictEqual(unasked.code, 1);
  await unchanged();
  assert.strictEqual((await run("init", "--yes", ...all)).code, 0);
  for (const { client, place, absolute } of files) {
    const added = await Deno.readTextFile(absolute);
    const fresh = settings.find((one) => one.client === client)?.text ?? "";
    assert.deepStrictEqual([client, entryIn(place, added)], [client, entryIn(place, fresh)]);
    assert.deepStrictEqual([client, ((await Deno.stat(absolute)).mode ?? 0) & 0o777], [client, 0o640]);
  }
  assert.strictEqual(lines(await run("init", ...all), /needs no change/g), files.length);
  assert.strictEqual((await run("uninstall", "--yes", ...all)).code, 0);
  for (const { client, place, absolute, before } of files) {
    const left = valuesOf(place, await Deno.readTextFile(absolute));
    assert.deepStrictEqual([client, left], [client, valuesOf(place, before)]);
  }
});

Deno.test("L1 D5 init reads no file outside the project through a link in it", async () => {
  using bench = new Workbench();
  const secret = bench.write(`${bench.elsewhere}/secret.json`, '{"token": "of another place"}\n');
  const link = `${bench.scope}/.mcp.json`;
  await Deno.symlink(secret, link);
  for (const words of [["init", "--dry-run"], ["uninstall", "--yes"]]) {
    const { code, stdout, stderr } = await runProgram(bench, [...words, "--client", "claude"], { script: true });
    assert.deepStrictEqual([words, code, stdout.includes("another place")], [words, 1, false]);
    assert.match(stderr, /"\.mcp\.json" is a link, which may lead out of the project\. Remove it/);
    assert.strictEqual(await Deno.readLink(link), secret);
  }
});

Deno.test("L1 D5 init asks on a terminal before it changes a file, and shows the change", async () => {
  using bench = new Workbench();
  const before = '{\n  "theme": "dark"\n}\n';
  const [changed = "", left = ""] = [".vscode/mcp.json", ".cursor/mcp.json"].map((file) => bench.write(file, before));
  const { code, stdout } = await runOnTerminal(bench, ["init", "--client", "vscode,cursor"], "y\nn\n");
  assert.match(stdout, /\+ {3}"servers": \{[^]*Change \.vscode\/mcp\.json\? \[y\/N\][^]*\.vscode\/mcp\.json changed/);
  assert.match(stdout, /Change \.cursor\/mcp\.json\? \[y\/N\][^]*\.cursor\/mcp\.json was left as it is/);
  assert.deepStrictEqual([code, await Deno.readTextFile(left)], [1, before]);
  assert.deepStrictEqual(Object.keys(JSON.parse(await Deno.readTextFile(changed))), ["theme", "servers"]);
});

Deno.test("S35 init writes the kinds of --ask that its entry can ask for, and says how to be asked", async () => {
  using bench = new Workbench();
  const argsAfter = async (...words: readonly string[]) => {
    const { code, stdout } = await runProgram(bench, ["init", "--client", "claude", "--yes", ...words]);
    assert.equal(code, 0);
    const { mcpServers } = JSON.parse(await Deno.readTextFile(`${bench.scope}/.mcp.json`));
    return { args: mcpServers.Ahma.args as readonly string[], stdout };
  };
  const asked = await argsAfter("--ask", "network,read");
  assert.deepStrictEqual(asked.args.slice(-4), ["--network", "packages,git-hosts", "--ask", "read,network"]);
  assert.doesNotMatch(asked.stdout, /^To be asked/m);
  bench.write(`${bench.home}/.config/ahma/settings.json`, '{ "network": "none" }');
  assert.deepStrictEqual((await argsAfter("--ask", "network,write")).args.slice(-2), ["--ask", "write"]);
});

Deno.test("D5 init makes a project's file without a question, uninstall removes it, and a library gets its code", async () => {
  using bench = new Workbench();
  const before = bench.outside();
  const three = ["--client", "claude", "--client", "cursor,claude,langchain"];
  const made = await runProgram(bench, ["init", ...three]);
  assert.deepStrictEqual(made.stdout.split("\n").slice(0, 2), [".mcp.json written", ".cursor/mcp.json written"]);
  assert.match(
    made.stdout,
    /^Commands reach only package registries and git hosts \(--network packages,git-hosts in the entry\)/m,
  );
  assert.match(
    made.stdout,
    /^To be asked in your client about what commands are denied: ahma_mcp init --client NAME/m,
  );
  assert.match(made.stdout, /^LangChain, in your code:\n\nMultiServerMCPClient\(/m);
  const removed = await runProgram(bench, [
    "uninstall",
    "--client",
    "claude",
    "--client",
    "cursor,claude,vscode",
    "--yes",
  ]);
  assert.match(removed.stdout, /^\.vscode\/mcp\.json needs no change$/m);
  assert.strictEqual(removed.code, 0);
  const gone = removed.stdout.matchAll(/^(\S+) removed, nothing else was in it$/gm);
  assert.deepStrictEqual(Array.from(gone, ([, file]) => file), [".mcp.json", ".cursor/mcp.json"]);
  const left = await Array.fromAsync(Deno.readDir(bench.scope));
  assert.deepStrictEqual(left.map(({ name }) => name).toSorted(), [".ahma", ".cursor"]);
  const none = await runProgram(bench, ["uninstall"]);
  assert.deepStrictEqual([none.code, none.stderr.slice(0, 48)], [
    2,
    "Name the client: --client NAME, where NAME is cl",
  ]);
  assert.deepStrictEqual(bench.outside(), before);
});
