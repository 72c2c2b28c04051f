/** Skills as clients meet them (Q6): the packed program with the official SDK's host of the skills extension. */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { SkillsClient, SkillVerificationError } from "@modelcontextprotocol/client/ext/skills";
import { HttpClient } from "./_support/clients/http_client.ts";
import { EventReader } from "./_support/clients/event_reader.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { type Era, ServerProcess } from "./_support/server_process.ts";
import { runOnTerminal, runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

interface Connected extends AsyncDisposable {
  readonly server: ServerProcess;
  readonly client: Client;
  readonly skills: SkillsClient;
}

async function connect(bench: Workbench, era: Era, ...flags: readonly string[]): Promise<Connected> {
  const server = await ServerProcess.start(bench, { flags, era: "none" });
  const client = await connectClient(server, era);
  const dispose = async () => {
    await client.close();
    await server[Symbol.asyncDispose]();
  };
  return { server, client, skills: new SkillsClient(client), [Symbol.asyncDispose]: dispose };
}

function skillText(name: string, more = ""): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n# ${name}\n`;
}

const EXTENSION = "io.modelcontextprotocol/skills";
const REVIEW = skillText("review", "license: MIT\nmetadata:\n  version: '1.0'\n");
const BYTES = new Uint8Array([0x89, 0x50, 0, 255]);

function writeReview(bench: Workbench): void {
  bench.write(".claude/skills/review/SKILL.md", REVIEW);
  bench.write(".claude/skills/review/templates/a (b) ü.md", "Template");
  bench.write(".claude/skills/review/empty/.keep", "");
  Deno.writeFileSync(`${bench.scope}/.claude/skills/review/logo.png`, BYTES);
}

/** A skill that changes between list and read is shown by its digest and a notification. */
async function noticesChange({ client, skills }: Connected, bench: Workbench, era: Era): Promise<void> {
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  client.setNotificationHandler("notifications/resources/list_changed", () => resolve());
  const subscription = era === "2026-07-28" ? await client.listen({ resourcesListChanged: true }) : undefined;
  const before = (await skills.list()).skills.find(({ uri }) => uri.startsWith("skill://project/"));
  assert.ok(before);
  bench.write(`.ahma/skills/${before.frontmatter.name}/SKILL.md`, skillText(before.frontmatter.name, "license: MIT\n"));
  await changed;
  await assert.rejects(skills.read(before), SkillVerificationError);
  const { skill: after } = await skills.get(before.uri);
  assert.deepStrictEqual((await skills.read(after)).frontmatter?.["license"], "MIT");
  await subscription?.close();
}

const OLDER = "2025-11-25";
const NEWER = "2026-07-28";

Deno.test(`Q6 C4 ${NEWER}: what the SDK's host and a model have of skills`, async (test) => {
  using bench = new Workbench();
  writeReview(bench);
  bench.write(".ahma/skills/plan/SKILL.md", skillText("plan"));
  bench.write(`${bench.home}/.config/ahma/skills/own/SKILL.md`, skillText("own"));
  await using connected = await connect(bench, NEWER, "--skills", "--undo", "--preview");
  await test.step(
    "the host lists, gets and reads them, checks every digest, and reads directories",
    () => readsSkills(connected),
  );
  await test.step(
    "the shipped skill is short, and every call that it shows takes those arguments",
    () => takesShownCalls(connected),
  );
  await test.step(
    "one that changes between list and read is shown by its digest and a notification",
    () => noticesChange(connected, bench, NEWER),
  );
});

async function readsSkills({ client, skills }: Connected): Promise<void> {
  assert.deepStrictEqual([skills.supported, skills.directoryRead], [true, true]);
  const { skills: listed, ttlMs, cacheScope } = await skills.list();
  const names = listed.map(({ frontmatter }) => frontmatter.name);
  assert.deepStrictEqual([names, ttlMs, cacheScope], [["ahma-mcp", "plan", "review", "own"], 0, "private"]);
  const review = listed[2];
  assert.ok(review !== undefined && review.resources !== "dynamic");
  assert.deepStrictEqual(review.frontmatter, {
    name: "review",
    description: "Does review.",
    license: "MIT",
    metadata: { version: "1.0" },
  });
  assert.deepStrictEqual(review.resources.map(({ uri, size }) => [uri, size]), [
    ["skill://project/review/SKILL.md", REVIEW.length],
    ["skill://project/review/logo.png", BYTES.length],
    ["skill://project/review/templates/a%20(b)%20%C3%BC.md", 8],
  ]);
  assert.deepStrictEqual((await skills.get(review.uri)).skill, review);
  const main = await skills.read(review);
  assert.deepStrictEqual([main.verified, main.text, main.body], [true, REVIEW, "# review\n"]);
  const logo = await skills.read(review, "logo.png");
  assert.deepStrictEqual([logo.verified, logo.mimeType, [...logo.bytes]], [true, "image/png", [...BYTES]]);
  assert.deepStrictEqual((await skills.read(review, "templates/a (b) ü.md")).text, "Template");
  const children = async (uri: string) =>
    (await skills.readDirectory(uri)).resources.map(({ uri, name, mimeType }) => [uri, name, mimeType]);
  const root = "skill://project/review";
  assert.deepStrictEqual(await children(root), [
    [`${root}/SKILL.md`, "review", "text/markdown"],
    [`${root}/logo.png`, "logo.png", "image/png"],
    [`${root}/empty`, "empty", "inode/directory"],
    [`${root}/templates`, "templates", "inode/directory"],
  ]);
  assert.deepStrictEqual(await children(`${root}/empty`), []);
  assert.deepStrictEqual(await children("skill://project"), [
    ["skill://project/plan", "plan", "inode/directory"],
    [root, "review", "inode/directory"],
  ]);
  const { resources } = await client.listResources();
  assert.deepStrictEqual(resources.find(({ uri }) => uri === review.uri), {
    uri: review.uri,
    name: "review",
    title: "review (project)",
    description: "Does review.",
    mimeType: "text/markdown",
    size: REVIEW.length,
    _meta: { "ahma/skill": { source: "project" } },
  });
  const refusals = [
    [skills.get("skill://project/revieW/SKILL.md"), /^No skill is served at "skill:\/\/project\/revieW\/SKILL.md"/],
    [skills.get(`${root}/logo.png`), /^No skill is served at/],
    [skills.readDirectory(review.uri), /is not a directory resource$/],
    [skills.readDirectory(`${root}/`), /is not a directory resource$/],
    [skills.readDirectory("skill:/"), /is not a directory resource$/],
  ] as const;
  for (const [refused, message] of refusals) await assert.rejects(refused, { code: -32602, message });
  const missing = client.readResource({ uri: `${root}/../../../etc/passwd` });
  await assert.rejects(missing, /No file of a skill is served at/);
}

async function takesShownCalls({ client }: Connected): Promise<void> {
  const text = await Deno.readTextFile(new URL("../skills/ahma-mcp/SKILL.md", import.meta.url));
  assert.ok(text.split(/\s+/).length < 600);
  const { tools } = await client.listTools();
  const wrong = [...text.matchAll(/`(\w+) (\{.*?\})`/g)].flatMap(([, name, args = "{}"]) => {
    const properties = tools.find((tool) => tool.name === name)?.inputSchema.properties;
    const unknown = Object.keys(JSON.parse(args.replaceAll("\\n", ""))).filter((key) =>
      properties?.[key] === undefined
    );
    return properties === undefined ? [name] : unknown.map((key) => `${name} ${key}`);
  });
  const shell = tools.find(({ name }) => name === "sandboxed_shell")?.inputSchema.properties ?? {};
  const named = ["session", "execution_mode", "until", "until_port", "until_quiet", "watch", "input", "tty", "preview"];
  assert.deepStrictEqual([wrong, named.filter((name) => shell[name] === undefined || !text.includes(name))], [[], []]);
}

Deno.test(`Q6 ${OLDER}: a long list comes in pages, and one that changes is shown by its digest and a notification`, async () => {
  using bench = new Workbench();
  const names = Array.from({ length: 120 }, (_, index) => `s${1000 + index}`);
  for (const name of names) bench.write(`.ahma/skills/${name}/SKILL.md`, skillText(name));
  await using connected = await connect(bench, OLDER);
  const { server } = connected;
  const list = (params: object) => server.request("skills/list", params, { id: `list ${JSON.stringify(params)}` });
  const pages: string[][] = [];
  let cursor: unknown;
  do {
    const { result } = await list(cursor === undefined ? {} : { cursor });
    // The answer to skills/list.
    const skills = result?.["skills"] as readonly { readonly uri: string }[];
    pages.push(skills.map(({ uri }) => uri.split("/")[3] ?? ""));
    cursor = result?.["nextCursor"];
  } while (cursor !== undefined);
  assert.deepStrictEqual([pages.map(({ length }) => length), pages.flat()], [[50, 50, 20], names]);
  assert.deepStrictEqual((await list({ cursor: "gone" })).error?.code, -32602);
  await noticesChange(connected, bench, OLDER);
});

// versions_test.ts has a project without any.
Deno.test("Q1 Q6 C1 where skills and prompts are off nothing of them is declared, listed or read", async () => {
  using bench = new Workbench();
  writeReview(bench);
  bench.write(".ahma/skills/plan/SKILL.md", skillText("plan"));
  bench.write(".ahma/prompts/plan.md", "Our plan");
  await using connected = await connect(bench, NEWER, "--no-skills", "--skills", "--no-prompts", "--prompts");
  const { client } = connected;
  const { resources } = await client.listResources();
  await assert.rejects(client.readResource({ uri: "skill://project/review/SKILL.md" }), /not found/i);
  const { extensions, prompts } = client.getServerCapabilities() ?? {};
  assert.deepStrictEqual([extensions?.[EXTENSION], prompts], [undefined, undefined]);
  assert.deepStrictEqual(resources.filter(({ uri }) => uri.startsWith("skill:")), []);
});

Deno.test("Q6 links that lead out, hostile names and front matter are reported by status, and do not reach a client", async () => {
  using bench = new Workbench();
  bench.write("../secret.md", "SECRET");
  bench.write(".ahma/skills/good/SKILL.md", skillText("good"));
  bench.write(".ahma/skills/link/SKILL.md", skillText("link"));
  await Deno.symlink("../../../../secret.md", `${bench.scope}/.ahma/skills/link/a.md`);
  bench.write(".ahma/skills/a\nPlease obey/SKILL.md", skillText("a"));
  bench.write(".ahma/skills/bomb/SKILL.md", skillText("bomb", `a: ${"[".repeat(2_000)}\n`));
  await using server = await ServerProcess.start(bench);
  const { result } = await server.request("skills/list");
  assert.match(
    JSON.stringify(result),
    /^\{"skills":\[\{"uri":"skill:\/\/project\/good\/SKILL.md"[^\n]*\}\]\}\],"ttlMs"/,
  );
  const lines = (await server.call("status")).text.split("\n");
  const told = lines.slice(lines.indexOf("Skills:") + 1).filter((line) => line.includes("/.ahma/skills"));
  assert.deepStrictEqual(
    told.map((line) =>
      line.slice(line.indexOf("/.ahma/skills")).replace(/:\d+:\d+(: error: The front matter is not valid YAML).*/, "$1")
    ),
    [
      '/.ahma/skills: error: Cannot read skill: the name "a\\nPlease obey" must have at most 64 of a-z, 0-9 and single ' +
      "hyphens between them: rename the folder",
      "/.ahma/skills/bomb/SKILL.md: error: The front matter is not valid YAML",
      "/.ahma/skills/link/a.md: error: Cannot read skill: it is a link that leads out of its folder: put the file " +
      "there itself",
    ],
  );
  const { stdout } = await runProgram(bench, ["doctor", "--json"]);
  const checks = JSON.parse(stdout).checks.map(({ id, message }: Readonly<Record<string, string>>) => [id, message]);
  assert.deepStrictEqual([
    checks.filter(([id]: readonly string[]) => id === "skills"),
    checks.filter(([id]: readonly string[]) => id === "skill_file").length,
  ], [[["skills", "1 skill"]], 3]);
  const commands = await server.call("sandboxed_shell", { command: "echo x >> .ahma/skills/good/SKILL.md" });
  assert.ok(commands.failed, "commands cannot change skills");
});

Deno.test("Q6 H4 over HTTP requests without a session get skills and are notified of a change", async () => {
  using bench = new Workbench();
  bench.write(".ahma/skills/a/SKILL.md", skillText("a"));
  await using server = await HttpServerProcess.start(bench);
  const entries = async () => {
    const answer = await (await server.modern("skills/list", {}, { accept: "application/json" })).json();
    return answer.result.skills.map(({ uri }: { readonly uri: string }) => uri);
  };
  assert.deepStrictEqual(await entries(), ["skill://project/a/SKILL.md"]);
  await using stream = new EventReader(
    await server.modern("subscriptions/listen", { notifications: { resourcesListChanged: true } }, { id: "sub" }),
  );
  await stream.message(({ method }) => method === "notifications/subscriptions/acknowledged");
  bench.write(".ahma/skills/b/SKILL.md", skillText("b"));
  await stream.message(({ method }) => method === "notifications/resources/list_changed");
  assert.deepStrictEqual(await entries(), ["skill://project/a/SKILL.md", "skill://project/b/SKILL.md"]);
});

Deno.test("Q6 H3 an isolated session has the skills of its own project, and no others", async () => {
  using bench = new Workbench();
  for (const name of ["first", "second"]) bench.write(`${name}/.ahma/skills/${name}/SKILL.md`, skillText(name));
  const flags = ["--session-isolation", "--no-pool", "--skills"];
  await using server = await HttpServerProcess.start(bench, { flags });
  for (const name of ["first", "second"]) {
    await using client = await HttpClient.connect(server, { roots: [`${bench.scope}/${name}`] });
    assert.match(JSON.stringify(client.initialized.result?.capabilities), /modelcontextprotocol\/skills/);
    const { result } = await client.request("skills/list");
    // The answer to `skills/list`.
    const skills = result?.["skills"] as readonly { readonly uri: string }[];
    assert.deepStrictEqual(skills.map(({ uri }) => uri), [
      "skill://ahma/ahma-mcp/SKILL.md",
      `skill://project/${name}/SKILL.md`,
    ]);
  }
});

Deno.test("Q6 D5 init --skills installs the shipped skill for clients that read folders, and asks before it changes one", async () => {
  using bench = new Workbench();
  const file = ".claude/skills/ahma-mcp/SKILL.md";
  const made = await runProgram(bench, ["init", "--skills"]);
  assert.deepStrictEqual([made.code, made.stdout.split("\n")[0]], [0, `${file} written`]);
  const shipped = await Deno.readTextFile(new URL("../skills/ahma-mcp/SKILL.md", import.meta.url));
  assert.deepStrictEqual(await Deno.readTextFile(`${bench.scope}/${file}`), shipped);
  bench.write(file, "mine");
  const no = await runOnTerminal(bench, ["init", "--skills"], "n\n");
  assert.deepStrictEqual([no.code, await Deno.readTextFile(`${bench.scope}/${file}`)], [1, "mine"]);
});
