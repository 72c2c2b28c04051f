import assert from "node:assert/strict";
import fc from "fast-check";
import type { Tool } from "@modelcontextprotocol/server";
import { ToolIndex, wordsOf } from "./tool_index.ts";

function tool(name: string, description = "", args: readonly string[] = []): Tool {
  return {
    name,
    description,
    inputSchema: { type: "object", properties: Object.fromEntries(args.map((a) => [a, {}])) },
  };
}

function found(tools: readonly Tool[], query: string): readonly string[] {
  return new ToolIndex(tools).find(query).map(({ name }) => name);
}

Deno.test("wordsOf() splits where a character is not a letter and where the case changes", () => {
  const texts = ["github_createIssue-2", "HTTPServer", "getURL", "Éa_ñ 文件 x", "___", ""];
  assert.deepStrictEqual(texts.map(wordsOf), [
    ["github", "create", "issue", "2"],
    ["http", "server"],
    ["get", "url"],
    ["éa", "ñ", "文件", "x"],
    [],
    [],
  ]);
});

const TOOLS = [
  tool("git_log", "Shows commits; an issue is named by its number, an issue has a link, an issue can be closed."),
  tool("hub_list_issues", "Lists issues of a repository.", ["owner", "repo"]),
  tool("hub_create_issue_comment", "Adds a comment to an issue.", ["issue_number", "body"]),
  tool("hub_create_pull_request", "Creates a pull request that closes an issue.", ["title", "head"]),
  tool("hub_create_issue", "Creates an issue in a repository.", ["title", "body"]),
  tool("mail_send", "Sends a message.", ["recipient", "subject"]),
];

Deno.test("O6 find() puts first what has all words in its name, then in its texts, and leaves out what has none", () => {
  assert.deepStrictEqual(found(TOOLS, "create issue")[0], "hub_create_issue");
  assert.deepStrictEqual(found(TOOLS, "createIssue")[0], "hub_create_issue");
  assert.deepStrictEqual(found(TOOLS, "comment on an issue")[0], "hub_create_issue_comment");
  assert.deepStrictEqual(found(TOOLS, "RECIPIENT"), ["mail_send"]);
  assert.deepStrictEqual(found(TOOLS, "request"), ["hub_create_pull_request"]);
  assert.deepStrictEqual(found(TOOLS, "messages"), ["mail_send"]);
  assert.deepStrictEqual([found(TOOLS, "telephone"), found(TOOLS, ""), found([], "x")], [[], [], []]);
});

Deno.test("O6 named() gives the tools that a query names, and nothing when a word is not a name", () => {
  const index = new ToolIndex(TOOLS);
  const named = (query: string) => index.named(query).map(({ name }) => name);
  assert.deepStrictEqual(named("mail_send, git_log mail_send"), ["mail_send", "git_log"]);
  assert.deepStrictEqual([named("mail_send please"), named("mail"), named(" ")], [[], [], []]);
});

Deno.test("O6 suggestion() names the word that a query has wrong", () => {
  const index = new ToolIndex(TOOLS);
  assert.deepStrictEqual([index.suggestion("isue"), index.suggestion("zzzz")], ['; did you mean "issue"?', ""]);
});

const NAME = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/),
  fc.array(fc.constantFrom("create", "issue", "Issue", "_", "-", "a", "2"), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join("")),
);
const TOOL = fc.record({
  name: NAME,
  description: fc.oneof(NAME, fc.string()),
  args: fc.array(NAME, { maxLength: 3 }),
});

Deno.test("O6 find() puts a tool first whose name is the query, whatever the others say", () => {
  fc.assert(fc.property(fc.uniqueArray(TOOL, { selector: ({ name }) => name, minLength: 1, maxLength: 12 }), (rows) => {
    const tools = rows.map(({ name, description, args }) => tool(name, `${description} ${rows[0]?.name}`, args));
    const index = new ToolIndex(tools);
    for (const { name } of tools) {
      assert.deepStrictEqual(index.find(name)[0]?.name, name);
      assert.deepStrictEqual(index.find(` ${name} `)[0]?.name, name);
      assert.deepStrictEqual(index.named(name).map((one) => one.name), [name]);
    }
  }));
});

Deno.test("O6 find() gives each tool once, of any query, and the same each time", () => {
  fc.assert(
    fc.property(fc.uniqueArray(TOOL, { selector: ({ name }) => name, maxLength: 12 }), fc.string(), (rows, query) => {
      const tools = rows.map(({ name, description, args }) => tool(name, description, args));
      const names = found(tools, query);
      assert.deepStrictEqual([new Set(names).size, found(tools, query)], [names.length, names]);
    }),
  );
});
