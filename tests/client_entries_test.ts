/** The entries that doctor prints and init writes start a server with the tools they promise, as each client starts it. */
import assert from "node:assert/strict";
import { type ClientSettings, clientSettings } from "../src/cli/commands/init/client_settings.ts";
import { withDeadline } from "./_support/deadline.ts";
import { readLines } from "./_support/line_reader.ts";
import { programStart } from "./_support/program.ts";
import { runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where each client starts its servers. */
const IN_PROJECT = ["claude", "codex"];
const GREET = { name: "greet", description: "Greets.", command: "echo", synchronous: true };

/** The entry in a client's settings, whatever stands around it. */
function entryIn(text: string): Entry {
  if (!text.startsWith("[")) {
    const [servers]: { Ahma: Entry }[] = Object.values(JSON.parse(text));
    assert.ok(servers);
    return servers.Ahma;
  }
  const value = (name: string) => JSON.parse(new RegExp(`^${name} = (.*)$`, "m").exec(text)?.[1] ?? "null");
  return { command: value("command"), args: value("args"), env: { AHMA_DENO: value("AHMA_DENO") } };
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

/** The entries for the packed program in the bench's project. */
function entriesFor(bench: Workbench): readonly ClientSettings[] {
  const command = new URL("../dist/ahma_mcp", import.meta.url).pathname;
  return clientSettings({ command, args: [], environment: { AHMA_DENO: Deno.execPath() } }, bench.scope);
}

Deno.test("L6 every client's entry starts a server with the shipped tools and the project's own", async () => {
  using bench = new Workbench();
  bench.write(".ahma/tools/greet.json", JSON.stringify(GREET));
  const wanted = ["git_status", "greet", "sandboxed_shell"];
  const seen = new Set<string>();
  for (const { client, text } of entriesFor(bench)) {
    const [entry, cwd] = [entryIn(text), IN_PROJECT.includes(client) ? bench.scope : "/"];
    // What differs is what the client starts, and where.
    const start = JSON.stringify([{ ...entry, type: undefined }, cwd]);
    if (seen.has(start)) continue;
    seen.add(start);
    const names = await toolsOf(bench, entry, cwd);
    assert.deepStrictEqual([client, wanted.filter((name) => names.includes(name))], [client, wanted]);
  }
  assert.strictEqual(seen.size, 3);
});

Deno.test("L1 init --client writes the entry into the project, or prints it where the file is the user's own", async () => {
  using bench = new Workbench();
  const before = bench.outside();
  for (const { client, title, file, inProject, text } of entriesFor(bench)) {
    const { code, stdout, stderr } = await runProgram(bench, ["init", "--client", client]);
    assert.deepStrictEqual([code, stderr], [0, ""]);
    const printed = `\n${title}, ${file} (your own file: init writes in the project only):\n\n${text}`;
    assert.deepStrictEqual([client, stdout.includes(printed)], [client, !inProject]);
    if (inProject) assert.strictEqual(await Deno.readTextFile(`${bench.scope}/${file}`), text);
  }
  assert.deepStrictEqual(bench.outside(), before);
});
