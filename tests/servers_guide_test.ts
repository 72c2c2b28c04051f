/** docs/servers.md by its word: each entry and command line is accepted, and what is printed is what the program says. */
import assert from "node:assert/strict";
import { entrySentence } from "../src/app/servers/entry_advice.ts";
import { triedLine, type TriedServer } from "../src/cli/commands/servers/test_servers.ts";
import { parseCommandLine } from "../src/settings/flags/parse_command_line.ts";
import { readServersFile } from "../src/upstream/config/read_config.ts";

const GUIDE = await Deno.readTextFile(new URL("../docs/servers.md", import.meta.url));

/** The fenced blocks of that language, in order. */
function blocks(language: string): readonly string[] {
  return Array.from(GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm")), ([, text = ""]) => text);
}

async function read(text: string, environment: Readonly<Record<string, string>>) {
  return await readServersFile("mcp.json", text, { environment, scope: "/home/ann/project", home: "/home/ann" });
}

Deno.test("O1 D3 each configuration file in docs/servers.md is read without a warning, and so is the client's entry", async () => {
  const all = await Promise.all(blocks("json").map((text) => read(text, { EXAMPLE_TOKEN: "t" })));
  assert.deepStrictEqual(all.flatMap(({ diagnostics }) => diagnostics), []);
  const names = all.map(({ servers }) => servers.map((one) => one.state === "usable" ? one.spec.name : one));
  assert.deepStrictEqual(names, [["memory", "time", "files", "remote"], ["Ahma"]]);
});

Deno.test("O7 D3 docs/servers.md shows the real output of servers test", async () => {
  const [configured = ""] = blocks("json");
  const { servers } = await read(configured, {});
  const refused = servers.find((one) => one.state === "refused");
  const ready = (name: string, milliseconds: number, counts: Partial<TriedServer>): TriedServer => {
    return { name, state: "ready", protocol: "2025-11-25", milliseconds, ...counts };
  };
  const lines = [
    ready("memory", 1339, { tools: 9, resources: 1 }),
    ready("time", 3085, { tools: 2 }),
    ready("files", 1502, { tools: 14 }),
    { name: "remote", state: "failed", milliseconds: 0, problem: refused?.problem ?? "" } as const,
  ].map(triedLine);
  assert.deepStrictEqual(blocks("text")[0], lines.join(""));
});

Deno.test("S15 D3 docs/servers.md shows the sandbox's real sentence", () => {
  const [path, directory] = ["/home/ann/notes/a.txt", "/home/ann/notes"];
  const denial = { path, access: ["write"], scope: [], flags: [`--write ${directory}`] } as const;
  const facts = { server: "files", scopes: ["/home/ann/project"], named: [directory], readsScope: true };
  assert.deepStrictEqual(blocks("text")[1], `Sandbox: ${entrySentence(denial, facts)}\n`);
});

Deno.test("O1 D3 the fields of docs/servers.md are known, and its command lines are accepted", async () => {
  const fields = GUIDE.split("\n").filter((line) => /^\| `\w+`/.test(line)).flatMap((line) => {
    const [, names = ""] = line.split("|");
    return Array.from(names.matchAll(/`(\w+)`/g), ([, name = ""]) => name);
  });
  const forAddresses = ["url", "serverUrl", "httpUrl", "headers"];
  const unknown = await Promise.all(fields.map(async (field) => {
    const base = forAddresses.includes(field) ? { url: "https://example.com/mcp" } : { command: "x" };
    const { diagnostics } = await read(JSON.stringify({ mcpServers: { a: { ...base, [field]: null } } }), {});
    return diagnostics.filter(({ message }) => /unknown/i.test(message)).map(({ message }) => message);
  }));
  assert.deepStrictEqual([fields.length > 20, unknown.flat()], [true, []]);
  const commands = blocks("sh").join("").split("\n").filter((line) => line.startsWith("ahma_mcp "))
    .map((line) => line.replace(/ +#.*/, "").split(" ").slice(1));
  assert.deepStrictEqual(
    commands.map((words) => parseCommandLine(words)).filter((parsed) => !parsed.ok),
    [],
  );
  assert.deepStrictEqual(commands.map(([, action]) => action), ["test", "diff", "approve"]);
});
