import assert from "node:assert/strict";
import { loadCatalogFromTexts } from "../src/catalog/load/load.ts";
import { clientSettings } from "../src/cli/commands/clients/client_settings.ts";
import { ENTRY_NETWORK } from "../src/cli/commands/clients/entry_network.ts";
import { BUNDLE_NAMES, embeddedTools } from "../src/settings/bundles.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const README = await Deno.readTextFile(new URL("../README.md", import.meta.url));

/** The fenced blocks of that language, in order. */
function blocks(language: string): readonly string[] {
  return Array.from(
    README.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm")),
    (match) => match[1] ?? "",
  );
}

Deno.test("D3 S15 the README's tool file works as printed; what it suggests to ask an agent first works, and is refused with the flag that would allow it", async () => {
  using bench = new Workbench();
  bench.write(".ahma/tools/greet.json", blocks("json").find((block) => block.includes('"greet"')) ?? "");
  bench.write(`${bench.elsewhere}/other/file`, "not for commands\n");
  assert.match(README, /"Run `git status` with the Ahma tool, then try to read a file of another project with it\."/);
  await using server = await ServerProcess.start(bench, { flags: ["--bundles", "git"] });
  const answer = await server.call("greet_hello", { who: 'the "world" $(id) *' });
  assert.match(answer.text, /^hello the "world" \$\(id\) \*$/m);
  await server.shell("git init -q");
  assert.match((await server.call("git_status")).text, /^On branch /);
  const refused = await server.shell(`cat ${bench.elsewhere}/other/file`);
  assert.ok(refused.text.includes(`start the server with --read ${bench.elsewhere}/other`), refused.text);
});

Deno.test("D3 L6 README and docs/clients.md show the entries that doctor prints", async () => {
  const guide = await Deno.readTextFile(new URL("../docs/clients.md", import.meta.url));
  const program = {
    command: "/path/to/ahma_mcp/dist/ahma_mcp",
    args: [],
    environment: { AHMA_DENO: "/path/to/deno" },
  };
  const settings = await clientSettings(program, "/path/to/project", ENTRY_NETWORK);
  for (const { title, file, text } of settings) {
    const [, section = ""] = guide.split(`\n## ${title}\n`);
    const [own = ""] = section.split("\n## ");
    const [, shown] = /^```(?:json|toml|yaml|python)\n([^]*?)^```/m.exec(own) ?? [];
    assert.deepStrictEqual([title, file === undefined || own.includes(`\`${file}\``), shown], [title, true, text]);
  }
  const entries = blocks("json").filter((block) => block.includes("Ahma"));
  const executable = await clientSettings(
    { command: "/path/to/ahma_mcp", args: [], environment: {} },
    "/path/to/project",
    ENTRY_NETWORK,
  );
  assert.deepStrictEqual(entries, executable.filter(({ client }) => client === "claude").map(({ text }) => text));
});

Deno.test("D3 T15 README names every shipped tool file with the number of its tools", async () => {
  const counts = await Promise.all(BUNDLE_NAMES.map(async (name) => {
    const { leaves } = await loadCatalogFromTexts(await embeddedTools([name]));
    return `\`${name}\` ${leaves.length}`;
  }));
  const flat = README.replaceAll("\n", " ");
  assert.deepStrictEqual(counts.filter((count) => !flat.includes(count)), []);
});

Deno.test("D3 the README's commands are tasks of this repository", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("../deno.json", import.meta.url)));
  const named = Array.from(README.matchAll(/deno(?:@[\d.]+)? task ([\w:]+)/g), (match) => match[1] ?? "");
  assert.ok(named.length >= 3);
  for (const name of named) assert.ok(name in tasks, name);
});

Deno.test("D3 dist/ahma_mcp, which the README's settings name, starts the program", async () => {
  const launcher = new URL("../dist/ahma_mcp", import.meta.url).pathname;
  const env = { AHMA_DENO: Deno.execPath() };
  const { code, stdout } = await new Deno.Command(launcher, { args: ["--version"], env, cwd: "/" }).output();
  assert.equal(code, 0);
  assert.match(new TextDecoder().decode(stdout), /^ahma_mcp \d+\.\d+\.\d+\n$/);
});
