/** A quick yes or no by a JSON Schema, for the keywords of the published one; others are refused. */
import { isObject } from "../../wire/json_value.ts";

type Test = (value: unknown) => boolean;
type Schema = Readonly<Record<string, unknown>>;

interface Context {
  readonly schema: Schema;
  readonly definitions: ReadonlyMap<string, Test>;
}

/** Keywords that are only for people. */
const ANNOTATIONS: readonly string[] = ["$schema", "$defs", "title", "description", "examples", "deprecated", "id"];
/** Keys of JSON are always texts; the properties are compiled with `additionalProperties`. */
const WITH_ADDITIONAL: readonly string[] = ["propertyNames", "properties"];

const TYPES: Readonly<Record<string, Test>> = {
  object: isObject,
  array: Array.isArray,
  integer: Number.isSafeInteger,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
};

/** The test that a keyword with this value makes. */
const KEYWORDS: Readonly<Record<string, (value: unknown, context: Context) => Test>> = {
  type: (value) => anyOf([value].flat().map((type) => known(TYPES, "type", type))),
  // Looked up when used: definitions may refer to each other and to themselves.
  $ref: (value, { definitions }) => (found) => definitions.get(String(value))?.(found) ?? false,
  enum: (value) => (found) => Array.isArray(value) && value.includes(found),
  anyOf: (value, context) => anyOf(Array.isArray(value) ? value.map((node) => compileAny(node, context)) : []),
  items(value, context) {
    const element = compileAny(value, context);
    return (found) => !Array.isArray(found) || found.every(element);
  },
  minItems: (value) => (found) => !Array.isArray(found) || found.length >= Number(value),
  minLength: (value) => (found) => typeof found !== "string" || found.length >= Number(value),
  pattern(value) {
    const pattern = new RegExp(String(value));
    return (found) => typeof found !== "string" || pattern.test(found);
  },
  minimum: (value) => (found) => typeof found !== "number" || found >= Number(value),
  maximum: (value) => (found) => typeof found !== "number" || found <= Number(value),
  exclusiveMinimum: (value) => (found) => typeof found !== "number" || found > Number(value),
  required: (value) => (found) => !isObject(found) || [value].flat().every((key) => Object.hasOwn(found, String(key))),
  additionalProperties(value, context) {
    const properties = isObject(context.schema.properties) ? context.schema.properties : {};
    const tests = new Map(Object.entries(properties).map(([key, node]) => [key, compileAny(node, context)]));
    const other = compileAny(value, context);
    return (found) => !isObject(found) || Object.keys(found).every((key) => (tests.get(key) ?? other)(found[key]));
  },
};

/** A test for values of `schema`. @throws RangeError when the schema uses a keyword or type this does not know. */
export function compileSchema(schema: Schema): Test {
  const definitions = new Map<string, Test>();
  for (const [name, node] of Object.entries(isObject(schema.$defs) ? schema.$defs : {})) {
    definitions.set(`#/$defs/${name}`, compileAny(node, { schema, definitions }));
  }
  return compileAny(schema, { schema, definitions });
}

function compileAny(schema: unknown, { definitions }: Context): Test {
  if (!isObject(schema)) return () => schema !== false;
  const tests = Object.entries(schema).flatMap(([keyword, value]) => {
    const isElsewhere = WITH_ADDITIONAL.includes(keyword) && schema.additionalProperties !== undefined;
    if (isElsewhere || ANNOTATIONS.includes(keyword)) return [];
    return [known(KEYWORDS, "keyword", keyword)(value, { schema, definitions })];
  });
  const [only] = tests;
  return tests.length === 1 && only !== undefined ? only : (value) => tests.every((test) => test(value));
}

function anyOf(tests: readonly Test[]): Test {
  const [only] = tests;
  return tests.length === 1 && only !== undefined ? only : (value) => tests.some((test) => test(value));
}

function known<Value>(table: Readonly<Record<string, Value>>, what: string, name: unknown): Value {
  const value = table[String(name)];
  if (value !== undefined) return value;
  throw new RangeError(`Cannot compile JSON Schema: ${what} ${JSON.stringify(name)} is not known here`);
}
