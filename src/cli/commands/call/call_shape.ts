/** Derives the command line of a tool from its input schema and its leaf. */
import type { Tool } from "@modelcontextprotocol/server";
import { builtinTraits } from "../../../catalog/format/builtin_traits.ts";
import type { Leaf } from "../../../catalog/model/leaf.ts";
import { member } from "../../../wire/json_value.ts";
import type { ArgumentShape, CallShape } from "./parse_tool_words.ts";

const TYPES: readonly ArgumentShape["type"][] = ["string", "boolean", "integer", "number", "array", "object"];

/**
 * `leaf` undefined: a tool that no tool file describes. Its words are what its built-in table says, else its required
 * texts in their order.
 */
export function callShape(tool: Tool, leaf: Leaf | undefined): CallShape {
  const properties = Object.entries(tool.inputSchema.properties ?? {});
  const declared = [...leaf?.options ?? [], ...leaf?.positionals ?? []];
  const shapes = properties.map(([name, schema]): ArgumentShape => {
    const alias = declared.find((one) => one.name === name)?.alias;
    const itemType = ITEM_TYPES.find((type) => type === member(member(schema, "items"), "type"));
    return {
      name,
      type: TYPES.find((type) => type === member(schema, "type")) ?? "string",
      ...itemType !== undefined && { itemType },
      ...alias !== undefined && { alias },
    };
  });
  const word = leaf === undefined ? builtinTraits(tool.name)?.wordArgument : undefined;
  const takesRest = leaf?.allowArgs === true && shapes.some(({ name }) => name === "args");
  return {
    tool: tool.name,
    arguments: shapes,
    positionals: word === undefined ? leaf?.positionals.map(({ name }) => name) ?? requiredTexts(tool, shapes) : [word],
    rest: word === "command" ? { name: word, joined: true } : takesRest ? { name: "args", joined: false } : undefined,
  };
}

const ITEM_TYPES = ["string", "integer", "number"] as const;

function requiredTexts({ inputSchema }: Tool, shapes: readonly ArgumentShape[]): readonly string[] {
  const isText = ({ type, itemType }: ArgumentShape) => type === "string" || type === "array" && itemType === "string";
  return shapes.filter((shape) => inputSchema.required?.includes(shape.name) && isText(shape)).map(({ name }) => name);
}
