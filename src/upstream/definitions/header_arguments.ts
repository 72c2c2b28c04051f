/** Arguments that a tool of an HTTP server also needs as headers (`x-mcp-header` of 2026-07-28). Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shownValue } from "../../base/text.ts";
import { isObject } from "../../wire/json_value.ts";

const KEY = "x-mcp-header";
/** A name of a header (RFC 9110, token). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ["string", "integer", "boolean"];
/** Keywords whose values are data, and no schemas. */
const DATA: readonly string[] = ["default", "const", "enum", "examples", KEY];

/** The headers' names, in lower case; the problem says why the tool must be left out by the specification. */
export function headerArguments(schema: unknown): Outcome<readonly string[]> {
  const names = new Set<string>();
  const problem = problemIn(schema, { isArgument: false, isReachable: true }, names);
  return problem === undefined ? success([...names]) : failure(problem);
}

interface Place {
  /** Whether the schema is that of an argument. */
  readonly isArgument: boolean;
  /** Whether only `properties` lead to it. */
  readonly isReachable: boolean;
}

function problemIn(schema: unknown, { isArgument, isReachable }: Place, names: Set<string>): string | undefined {
  if (Array.isArray(schema)) return firstOf(schema.map((one) => [one, { isArgument: false, isReachable }]), names);
  if (!isObject(schema)) return undefined;
  const own = KEY in schema ? namedProblem(schema, isArgument && isReachable, names) : undefined;
  const { properties } = schema;
  const parts = Object.entries(schema).filter(([key]) => key !== "properties" && !DATA.includes(key));
  return own ?? firstOf([
    ...isObject(properties)
      ? Object.values(properties).map((one) => [one, { isArgument: true, isReachable }] as const)
      : [],
    ...parts.map(([, part]) => [part, { isArgument: false, isReachable: false }] as const),
  ], names);
}

function firstOf(parts: readonly (readonly [unknown, Place])[], names: Set<string>): string | undefined {
  return parts.map(([part, place]) => problemIn(part, place, names)).find((problem) => problem !== undefined);
}

function namedProblem(
  { [KEY]: name, type }: Readonly<Record<string, unknown>>,
  isArgument: boolean,
  names: Set<string>,
): string | undefined {
  const what = `its ${KEY} ${shownValue(name)}`;
  if (!isArgument) return `${what} is not that of an argument`;
  if (typeof name !== "string" || !TOKEN.test(name)) return `${what} is not a name of a header`;
  if (!TYPES.includes(type)) return `${what} is of an argument that is not a string, integer or boolean`;
  if (names.has(name.toLowerCase())) return `${what} is used twice`;
  names.add(name.toLowerCase());
  return undefined;
}
