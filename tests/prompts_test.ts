/** Prompts as clients meet them (Q1 to Q5, C5): the packed program with the official SDK's client. */
import assert from "node:assert/strict";
import type { Client, GetPromptRequest, Prompt } from "@modelcontextprotocol/client";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { type Era, ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

interface Connected extends AsyncDisposable {
  readonly server: ServerProcess;
  readonly client: Client;
}

async function connect(bench: Workbench, options: { flags?: readonly string[]; era?: Era } = {}): Promise<Connected> {
  const { flags = [], era = "2025-11-25" } = options;
  const environment = { AWS_SECRET_ACCESS_KEY: "leaked", SHOWN: "shown" };
  const server = await ServerProcess.start(bench, { flags, era: "none", environment });
  const client = await connectClient(server, era);
  const dispose = async () => {
    await client.close();
    await server[Symbol.asyncDispose]();
  };
  return { server, client, [Symbol.asyncDispose]: dispose };
}

/** The text of a prompt with one message. */
async function textOf(client: Client, params: GetPromptRequest["params"]): Promise<string> {
  const { messages: [message, ...more] } = await client.getPrompt(params);
  assert.deepStrictEqual(more, []);
  return message?.content.type === "text" ? message.content.text : "";
}

async function names(client: Client): Promise<readonly string[]> {
  return (await client.listPrompts()).prompts.map(({ name }) => name);
}

const REVIEW = `---
title: Review
description: Reviews a file.
parameters:
  - {name: file, required: true, description: What to review}
  - {name: depth, type: choice, choices: [short, thorough, total], default: short}
---
{% render "_guards" %}
Review {{ file }} ({{ depth }}) of {{ project_name }}.
`;

Deno.test("Q1 Q2 C1 C5 prompts are listed, rendered with partials, completed, and refused with words; --prompts offers ours, and one of the project replaces it", async () => {
  using bench = new Workbench();
  bench.write(".ahma/prompts/review.md", REVIEW);
  bench.write(".ahma/prompts/_guards.md", "Guards of the project.");
  bench.write(
    ".ahma/prompts/deep/talk.liquid",
    'Hi\n{% role "assistant" %}Hello {{ env.SHOWN }} on {{ git_branch }}',
  );
  bench.write(".git/HEAD", "ref: refs/heads/topic\n");
  bench.write(`${bench.home}/.config/ahma/prompts/own.md`, "Mine");
  bench.write(".ahma/prompts/plan.md", "Our plan");
  await using connected = await connect(bench, { era: "2026-07-28", flags: ["--prompts", "--prompt-env", "SHOWN"] });
  const { client } = connected;
  const { prompts } = await client.listPrompts();
  const ours = (name: string) => !["deep/talk", "own", "review"].includes(name);
  assert.deepStrictEqual(prompts.filter(({ name }) => !ours(name)), [
    { name: "deep/talk", title: "deep/talk (project)", _meta: { "ahma/prompt": { source: "project" } } },
    { name: "own", _meta: { "ahma/prompt": { source: "user" } } },
    {
      name: "review",
      title: "Review (project)",
      description: "Reviews a file.",
      arguments: [
        { name: "file", description: "What to review", required: true },
        { name: "depth", description: "One of: short, thorough, total." },
      ],
      _meta: { "ahma/prompt": { source: "project" } },
    },
  ]);
  const review = (args?: Record<string, string>) => textOf(client, { name: "review", ...args && { arguments: args } });
  assert.deepStrictEqual(await review({ file: "a.ts" }), "Guards of the project.\nReview a.ts (short) of scope.");
  assert.deepStrictEqual((await client.getPrompt({ name: "deep/talk" })).messages, [
    { role: "user", content: { type: "text", text: "Hi" } },
    { role: "assistant", content: { type: "text", text: "Hello shown on topic" } },
  ]);
  const complete = async (value: string) =>
    (await client.complete({ ref: { type: "ref/prompt", name: "review" }, argument: { name: "depth", value } }))
      .completion;
  assert.deepStrictEqual(await complete("t"), { values: ["thorough", "total"], total: 2, hasMore: false });
  const refusals = [
    [() => review(), 'Cannot render prompt "review": required argument "file" is missing'],
    [
      () => review({ file: "a", dept: "x" }),
      'Cannot render prompt "review": argument "dept" is unknown; did you mean "depth"?',
    ],
    [() => textOf(client, { name: "reviw" }), 'Unknown prompt "reviw"; did you mean "review"?'],
    [
      () => textOf(client, { name: "_guards" }),
      'Prompt "_guards" is a partial: other prompts include it, and it cannot be had alone',
    ],
  ] as const;
  for (const [ask, message] of refusals) await assert.rejects(ask, { code: -32602, message });
  await offersOurs(client, prompts.filter(({ name }) => ours(name)));
});

async function offersOurs(client: Client, prompts: readonly Prompt[]): Promise<void> {
  assert.deepStrictEqual(client.getServerCapabilities()?.prompts, { listChanged: true });
  assert.deepStrictEqual(prompts.map(({ name }) => name), [
    "code_review",
    "commit_message",
    "debug_error",
    "double_check",
    "explain_code",
    "fix_failing_tests",
    "new_prompt",
    "new_tool_file",
    "next_issue",
    "plan",
    "write_docs",
    "write_tests",
  ]);
  const plan = prompts.find(({ name }) => name === "plan");
  assert.deepStrictEqual(
    [plan?.title, plan?.description],
    ["plan (project)", "Replaces the bundled prompt of this name."],
  );
  for (const { name, description, arguments: args = [], _meta } of prompts.filter(({ name }) => name !== "plan")) {
    assert.deepStrictEqual(_meta, { "ahma/prompt": { source: "bundled" } });
    assert.ok((description?.length ?? 0) > 20, name);
    // Each argument once, and the required ones alone: every branch is rendered, and no tag is left.
    const all = Object.fromEntries(
      args.map((one) => [one.name, one.description?.match(/One of: \w+, (\w+)/)?.[1] ?? "x y"]),
    );
    const needed = Object.fromEntries(args.filter(({ required }) => required).map(({ name }) => [name, "x y"]));
    if ("commit" in all) all["commit"] = "true";
    for (const given of [all, needed]) {
      const text = await textOf(client, { name, arguments: given });
      assert.ok(text.length > 200 && text.length < 3_000, `${name}: ${text.length} characters`);
      assert.doesNotMatch(
        text.replace(/`\{% render "_name" %\}`|Review \{\{ target \}\}/g, ""),
        /\{\{|\{%|\n\n\n/,
        `${name}:\n${text}`,
      );
    }
  }
}

Deno.test("Q3 Q4 prompts that mean harm, and prompts that are saved while they are served", async (test) => {
  using bench = new Workbench();
  const secret = bench.write(`${bench.elsewhere}/secret.md`, "outside");
  const prompts: Readonly<Record<string, string>> = {
    "env": "a{{ AWS_SECRET_ACCESS_KEY }}{{ env.HOME }}{{ env.AWS_SECRET_ACCESS_KEY }}b",
    "file": '{% include "../../../../etc/passwd" %}',
    "absolute": `{% render "${secret}" %}`,
    "loop": "{% for i in (1..90000) %}{% for j in (1..90) %}{% cycle 1, 2 %}{% endfor %}{% endfor %}",
  };
  for (const [name, text] of Object.entries(prompts)) bench.write(`.ahma/prompts/${name}.md`, text);
  await Deno.symlink(secret, `${bench.scope}/.ahma/prompts/link.md`);
  await using connected = await connect(bench);
  await test.step(
    "templates reach no environment and no file, and an endless one ends while others are served",
    () => keepsTemplatesIn(bench, connected, secret),
  );
  await test.step(
    "a saved prompt is announced once and served; a broken one is not announced, keeps its last version, and status shows the fault",
    () => servesSaved(bench, connected),
  );
});

async function keepsTemplatesIn(bench: Workbench, { client }: Connected, secret: string): Promise<void> {
  assert.deepStrictEqual(await names(client), ["absolute", "env", "file", "loop"]);
  assert.deepStrictEqual(await textOf(client, { name: "env" }), "ab");
  const place = (name: string) => `Cannot render prompt "${name}": ${bench.scope}/.ahma/prompts/${name}.md`;
  const missing = (name: string, path: string) => ({
    code: -32602,
    message: `${place(name)}:1:1: error: No prompt or partial is named "${path}"`,
  });
  await assert.rejects(textOf(client, { name: "file" }), missing("file", "../../../../etc/passwd"));
  await assert.rejects(
    textOf(client, { name: "absolute" }),
    missing("absolute", secret.slice(0, 80) + (secret.length > 80 ? "…" : "")),
  );
  const endless = textOf(client, { name: "loop" });
  const first = await Promise.race([endless.catch(() => "the loop"), client.ping().then(() => "the ping")]);
  assert.strictEqual(first, "the ping");
  await assert.rejects(endless, (thrown: Error) => thrown.message.startsWith(place("loop")));
  const status = await client.callTool({ name: "status" });
  assert.match(
    JSON.stringify(status),
    /link\.md: error: Cannot read prompt: it is a link that leads out of the directory/,
  );
}

async function servesSaved(bench: Workbench, { client, server }: Connected): Promise<void> {
  const text = (name: string) => textOf(client, { name });
  const file = `${bench.scope}/.ahma/prompts/a.md`;
  const save = async (body: string, name = "a") => {
    await Deno.writeTextFile(`${file}.new`, body);
    await Deno.rename(`${file}.new`, file.replace("a.md", `${name}.md`));
  };
  const first = server.notification("notifications/prompts/list_changed");
  await save("One");
  await first;
  assert.deepStrictEqual(await text("a"), "One");
  const changed = server.notification("notifications/prompts/list_changed");
  await save("Two");
  await changed;
  assert.deepStrictEqual(await text("a"), "Two");
  await save("\n{% if x %}Three");
  // The next change comes after it.
  const next = server.notification("notifications/prompts/list_changed");
  await save("New", "b");
  await next;
  assert.deepStrictEqual(await text("a"), "Two");
  const status = JSON.stringify(await client.callTool({ name: "status" }));
  assert.match(status, /a\.md:2:1: error: Tag \{% if x %\} not closed \(the last good version stays in service\)/);
  const announced = server.unclaimed.filter(({ method }) => method === "notifications/prompts/list_changed");
  assert.deepStrictEqual(announced, [], "one notification for each change");
}

Deno.test("Q5 prompts of SwissArmyHammer are read in place until there are some of our own", async () => {
  using bench = new Workbench();
  bench.write(
    ".swissarmyhammer/prompts/review/code.md.liquid",
    [
      "---",
      "name: ignored",
      "title: Code",
      "category: review",
      "parameters:",
      "  - name: language",
      "    type: choice",
      "    choices: [rust, go]",
      "    default: rust",
      "---",
      '{% include "rules" %} for {{ language | slugify }}, {{ "a\\nb" | count_lines }} lines',
    ].join("\n"),
  );
  bench.write(".swissarmyhammer/prompts/rules.md", "{% partial %}\nRules");
  {
    await using connected = await connect(bench);
    assert.deepStrictEqual(await names(connected.client), ["review/code"]);
    assert.deepStrictEqual(await textOf(connected.client, { name: "review/code" }), "Rules for rust, 2 lines");
  }
  bench.write(".ahma/prompts/own.md", "Own");
  await using connected = await connect(bench);
  assert.deepStrictEqual(await names(connected.client), ["own"]);
});

Deno.test("Q1 L7 directories of prompts come from flags, variables and settings; a project's lies inside it", async () => {
  using bench = new Workbench();
  bench.write("docs/prompts/a.md", "A");
  const elsewhere = `${bench.elsewhere}/mine`;
  bench.write(`${elsewhere}/b.md`, "B");
  bench.write(".ahma/settings.json", JSON.stringify({ prompts_dir: "docs/prompts", user_prompts_dir: elsewhere }));
  {
    await using connected = await connect(bench);
    assert.deepStrictEqual(await names(connected.client), ["a"]);
  }
  bench.write(".ahma/settings.json", JSON.stringify({ prompts_dir: elsewhere }));
  await using connected = await connect(bench, { flags: ["--user-prompts-dir", elsewhere] });
  assert.deepStrictEqual(await names(connected.client), ["b"]);
  assert.match(connected.server.stderr, /it lies outside the project\. Use the flag "--prompts-dir"/);
});
