import assert from "node:assert/strict";
import type { Tool } from "@modelcontextprotocol/server";
import type { Catalog, Leaf, LeafArgument } from "../../catalog/model/leaf.ts";
import type { ToolDefinition } from "../../catalog/format/mtdf.ts";
import { catalogOf } from "../../catalog/model/snapshot.ts";
import { makeLeaf, PLAIN_SCOPE, PLAIN_SETTINGS } from "../_support/connection.ts";
import type { ListFacts } from "../result/listed_texts.ts";
import { ToolFileSource } from "./tool_file_source.ts";
import type { ToolStyle } from "../../catalog/format/mtdf.ts";

function option(name: string, rest: Partial<LeafArgument> = {}): LeafArgument {
  return { name, type: "string", description: "", required: false, ...rest };
}

function factsOf(toolStyle: ToolStyle): ListFacts {
  return { scope: PLAIN_SCOPE, settings: { ...PLAIN_SETTINGS, inlineWaitMs: 3000, toolStyle } };
}

function leaf(tool: string, path: readonly string[], rest: Partial<Leaf> = {}): Leaf {
  return makeLeaf([tool, ...path].join("_"), { tool, path, ...rest });
}

function catalog(leaves: readonly Leaf[], definitions: Readonly<Record<string, Partial<ToolDefinition>>>): Catalog {
  const tools = Object.entries(definitions).map(([name, rest]) => {
    const definition: ToolDefinition = { command: name, ...rest };
    return { name, command: name, file: `${name}.json`, definition };
  });
  return catalogOf(leaves, { tools });
}

function listed(all: Catalog, style: ToolStyle): Promise<readonly Tool[]> {
  return new ToolFileSource({ facts: factsOf(style), catalog: () => Promise.resolve(all) }).list();
}

async function namesOf(all: Catalog, style: ToolStyle): Promise<readonly string[]> {
  return (await listed(all, style)).map(({ name }) => name);
}

const STORE = [
  leaf("store", [], { description: "Shows it. In short.", synchronous: true }),
  leaf("store", ["put"], {
    description: "Puts files in.\n\nPrefer few.",
    options: [
      option("level", { type: "integer", minimum: 1 }),
      option("force", { type: "boolean", description: "Now" }),
    ],
    positionals: [option("files", { type: "array", required: true, description: "What" })],
  }),
  leaf("store", ["get", "all"], {
    description: "Gets all",
    options: [option("level", { enum: ["low", "high"] }), option("force", { type: "boolean", description: "Now" })],
    positionals: [option("files", { type: "array", description: "Only these" })],
  }),
];

Deno.test("T5 T6 --tool-style program lists one tool for a program, with the arguments of all its leaves", async () => {
  const all = catalog(STORE, { store: { description: "A store." } });
  const [tool] = await listed(all, "program");
  assert.deepStrictEqual(tool, {
    name: "store",
    description:
      "A store.\n\ndefault: Shows it.\nput: Puts files in.\nget_all: Gets all\n\nSome wait for the end; else " +
      "after 3 s the answer is an operation id for `await`; other work can continue.",
    inputSchema: {
      type: "object",
      properties: {
        subcommand: { type: "string", enum: ["default", "put", "get_all"], default: "default" },
        working_directory: { type: "string", description: "Directory to run in, inside the scope." },
        timeout_seconds: { type: "number", exclusiveMinimum: 0, maximum: 86400 },
        execution_mode: {
          type: "string",
          enum: ["Synchronous", "AsyncResultPush"],
          description: "Wait for the result, or get an operation id at once.",
        },
        level: {
          anyOf: [{ type: "integer", minimum: 1 }, { type: "string", enum: ["low", "high"] }],
          description: "put | get_all",
        },
        force: { type: "boolean", description: "put, get_all: Now" },
        files: {
          type: "array",
          items: { type: "string" },
          description: "put (required): What | get_all: Only these",
        },
      },
      required: [],
      additionalProperties: false,
    },
  });
});

Deno.test("T5 a tool file says its own style, and one leaf, a name that is taken or an own subcommand stays as it is", async () => {
  const leaves = [
    ...STORE,
    leaf("one", ["x"]),
    leaf("own", ["a"], { options: [option("subcommand")] }),
    leaf("own", ["b"]),
    leaf("a", ["b"]),
    leaf("a", ["c"]),
    leaf("a_b2", ["x"]),
    leaf("a_b2", ["y"]),
    leaf("a", ["b2"]),
  ];
  const definitions = { store: {}, one: {}, own: {}, a: {}, a_b2: {} };
  const listed = ["store", "one_x", "own_a", "own_b", "a", "a_b2_x", "a_b2_y"];
  assert.deepStrictEqual(await namesOf(catalog(leaves, definitions), "program"), listed);
  const two = catalog([...STORE, leaf("a", ["b"]), leaf("a", ["c"])], {
    store: { tool_style: "program" },
    a: { tool_style: "leaf" },
  });
  assert.deepStrictEqual([await namesOf(two, "leaf"), await namesOf(two, "program")], [["store", "a_b", "a_c"], [
    "store",
    "a_b",
    "a_c",
  ]]);
});
