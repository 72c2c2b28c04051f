import assert from "node:assert/strict";
import type { Tool } from "@modelcontextprotocol/server";
import { PLAIN } from "../../terminal/colours.ts";
import { toolLines, toolTable } from "./tool_table.ts";

const TOOLS: readonly Tool[] = [
  {
    name: "git_log",
    description: "Shows the\nhistory. More \x1b[31mtext.",
    inputSchema: { type: "object", properties: { path: {}, count: {} }, required: ["path"] },
  },
  { name: "none", inputSchema: { type: "object" } },
];

Deno.test("L2 toolLines() is one line a tool with tabs between", () => {
  assert.strictEqual(
    toolLines([TOOLS[1] as Tool, { ...TOOLS[0] as Tool, description: "a\tb\nc" }]),
    "none\t\t\ngit_log\tpath* count\ta b c\n",
  );
});

Deno.test("L2 toolTable() shows the first sentence and the parameters, and nothing that moves the cursor", () => {
  assert.strictEqual(
    toolTable(TOOLS, { width: 60, colours: PLAIN }),
    "git_log  Shows the history.\n         path*, count\nnone     \n",
  );
});

Deno.test("L2 toolTable() gives a long name a line of its own, and wraps", () => {
  const name = "a_very_long_name_that_pushes_everything_to_the_right";
  const description = "one two three four five six seven eight";
  const text = toolTable([{ name, description, inputSchema: { type: "object" } }], {
    width: 20,
    colours: PLAIN,
  });
  assert.deepStrictEqual(text.split("\n").map((line) => line.trim()), [
    name,
    "one two three four five",
    "six seven eight",
    "",
  ]);
});
