/** Definitions of tools as a server gave them, and as clients see them: limited, and without hidden characters (O6). Pure. */
import type { Tool } from "@modelcontextprotocol/server";
import { visibleStart, visibleText } from "../../base/visible_text.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { isObject, member } from "../../wire/json_value.ts";

/** What a server says of one tool, unchanged; other members are dropped. */
export interface Definition {
  readonly name: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
  readonly _meta?: unknown;
}

const LONGEST_NAME = 256;
const LONGEST_TEXT = 4_096;
const LARGEST_SCHEMA = 64 * 1024;
const DEEPEST_SCHEMA = 50;
/** Most servers between a tool and its client; more means that servers serve each other. */
const MOST_HOPS = 4;

/** Key of `_meta`: how many instances of this program a tool has passed through. */
const HOPS_META_KEY = "ahma/hops";
/** Stands for an invalid count, which must not pass for zero. */
const NOT_A_COUNT = -1;

/** The definitions of an answer to `tools/list`; what has no name is dropped. */
export function definitionsIn(result: unknown): readonly Definition[] {
  const tools = member(result, "tools");
  return (Array.isArray(tools) ? tools : []).flatMap((tool: unknown): readonly Definition[] => {
    const name = member(tool, "name");
    if (!isObject(tool) || typeof name !== "string" || name === "" || name.length > LONGEST_NAME) return [];
    const { title, description, inputSchema, annotations } = tool;
    const hops = member(tool["_meta"], HOPS_META_KEY);
    return [{
      name,
      ...title !== undefined && { title },
      ...description !== undefined && { description },
      ...inputSchema !== undefined && { inputSchema },
      ...annotations !== undefined && { annotations },
      ...hops !== undefined && { _meta: { [HOPS_META_KEY]: typeof hops === "number" ? hops : NOT_A_COUNT } },
    }];
  });
}

/** The tool for clients under our name; the problem says why it is withheld. */
export function clientTool(definition: Definition, name: string): Outcome<Tool> {
  const { title, description, inputSchema = { type: "object" }, annotations } = definition;
  const passed = member(definition._meta, HOPS_META_KEY) ?? 0;
  if (typeof passed !== "number" || !Number.isSafeInteger(passed) || passed < 0) {
    return failure(`its "${HOPS_META_KEY}" is not a number of servers: it could hide that they serve each other`);
  }
  if (passed >= MOST_HOPS) return failure(`it has passed through ${passed} servers: they serve each other in a loop`);
  if (!isObject(inputSchema) || inputSchema["type"] !== "object") {
    return failure("its inputSchema is not an object schema");
  }
  if (isDeeper(inputSchema, DEEPEST_SCHEMA)) return failure(`its schema is more than ${DEEPEST_SCHEMA} levels deep`);
  if (JSON.stringify(inputSchema).length > LARGEST_SCHEMA) return failure("its schema is larger than 64 KiB");
  const schema = cleaned(inputSchema);
  return success({
    name,
    ...typeof title === "string" && { title: shown(title) },
    ...typeof description === "string" && { description: shown(description) },
    // A schema is JSON, which its own type does not say: its members are `unknown`.
    inputSchema: schema as Tool["inputSchema"],
    ...isObject(annotations) && { annotations: annotationsOf(annotations) },
    _meta: { [HOPS_META_KEY]: passed + 1 },
  });
}

/** A text that is equal exactly for equal definitions, in any order of members. */
export function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_, one: unknown) =>
      isObject(one) ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => a < b ? -1 : 1)) : one,
  ) ?? "";
}

/** A text of a server for clients: without hidden characters, and cut after 4,096 characters. */
export function shown(text: string): string {
  return visibleStart(text, LONGEST_TEXT);
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

function annotationsOf(given: Readonly<Record<string, unknown>>): NonNullable<Tool["annotations"]> {
  const hints = HINTS.filter((hint) => typeof given[hint] === "boolean").map((hint) => [hint, given[hint]]);
  const title = given["title"];
  return { ...typeof title === "string" && { title: shown(title) }, ...Object.fromEntries(hints) };
}

/** Without hidden characters in any text or key. */
export function cleaned(value: unknown): unknown {
  if (typeof value === "string") return visibleText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [visibleText(key), cleaned(one)]));
}

/** Level by level, without recursion: the depth is the server's choice. */
function isDeeper(value: unknown, limit: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((one) => typeof one === "object" && one !== null ? Object.values(one) : []);
  }
  return false;
}
