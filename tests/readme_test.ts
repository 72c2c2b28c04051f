import assert from "node:assert/strict";
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

Deno.test("D3 the README's tool file works as printed", async () => {
  using bench = new Workbench();
  const file = blocks("json").find((block) => block.includes('"greet"')) ?? "";
  bench.write(".ahma/tools/greet.json", file);
  await using server = await ServerProcess.start(bench);
  const answer = await server.call("greet_hello", { who: 'the "world" $(id) *' });
  assert.match(answer.text, /^hello the "world" \$\(id\) \*$/m);
});

Deno.test("D3 the README's client settings are JSON and start the packed program", () => {
  const settings = blocks("json").filter((block) => block.includes("Ahma"));
  assert.equal(settings.length, 4);
  for (const block of settings) {
    const parsed: Record<string, Record<string, { command: string; args: string[] }>> = JSON.parse(block);
    const [servers] = Object.values(parsed);
    assert.equal(servers?.Ahma?.command, "/path/to/ahma_mcp/dist/ahma_mcp");
    assert.ok(servers.Ahma.args.includes("--tools-dir"));
  }
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
