/**
 * A quick yes or no by a JSON Schema: it looks only at the keys a value has. What is wrong is said elsewhere, and only
 * when something is. It knows the keywords of the published schema and refuses to be built from any other.
 */

import { isObject } from "../../wire/json_value.ts";

type Test = (value: unknown) => boolean;
type Schema = Readonly<Record<string, unknown>>;

/** Keywords that say something to people only. */
const ANNOTATIONS: readonly string[] = ["$schema", "$defs", "title", "description", "examples", "deprecated", "id"];

/**
 * A test for values of `schema`.
 *
 * @throws RangeError when the schema uses a keyword or type this does not know.
 */
export function compileSchema(schema: Schema): Test {
  const definitions = new Map<string, Test>();
  const known = isObject(schema.$defs) ? schema.$defs : {};
  for (const [name, definition] of Object.entries(known)) {
    if (isObject(definition)) definitions.set(`#/$defs/${name}`, compileNode(definition, definitions));
  }
  return compileNode(schema, definitions);
}

function compileNode(schema: Schema, definitions: ReadonlyMap<string, Test>): Test {
  const tests = Object.entries(schema).flatMap(([keyword, value]) => {
    if (ANNOTATIONS.includes(keyword)) return [];
    return compileKeyword(keyword, value, { schema, definitions });
  });
  const [only] = tests;
  return tests.length === 1 && only !== undefined ? only : (value) => tests.every((test) => test(value));
}

interface Context {
  readonly schema: Schema;
  readonly definitions: ReadonlyMap<string, Test>;
}

function compileKeyword(keyword: string, value: unknown, { schema, definitions }: Context): readonly Test[] {
  const sub = (node: unknown): Test => isObject(node) ? compileNode(node, definitions) : () => node !== false;
  switch (keyword) {
    case "type":
      return [anyOf([value].flat().map(typeTest))];
    case "$ref":
      // Looked up when used: definitions may refer to each other and to themselves.
      return [(found) => definitions.get(String(value))?.(found) ?? false];
    case "enum":
      return [(found) => Array.isArray(value) && value.includes(found)];
    case "anyOf":
      return [anyOf(Array.isArray(value) ? value.map(sub) : [])];
    case "items": {
      const element = sub(value);
      return [(found) => !Array.isArray(found) || found.every(element)];
    }
    case "minItems":
      return [(found) => !Array.isArray(found) || found.length >= Number(value)];
    case "minLength":
      return [(found) => typeof found !== "string" || found.length >= Number(value)];
    case "pattern": {
      const pattern = new RegExp(String(value));
      return [(found) => typeof found !== "string" || pattern.test(found)];
    }
    case "minimum":
      return [(found) => typeof found !== "number" || found >= Number(value)];
    case "maximum":
      return [(found) => typeof found !== "number" || found <= Number(value)];
    case "exclusiveMinimum":
      return [(found) => typeof found !== "number" || found > Number(value)];
    case "required":
      return [(found) => !isObject(found) || [value].flat().every((key) => Object.hasOwn(found, String(key)))];
    case "additionalProperties":
      return [propertiesTest(isObject(schema.properties) ? schema.properties : {}, sub, value)];
    case "propertyNames":
    case "properties":
      // Keys of JSON are always texts; the properties are compiled with `additionalProperties`.
      if (schema.additionalProperties !== undefined) return [];
  }
  throw new RangeError(`Cannot compile JSON Schema: keyword "${keyword}" is not known here`);
}

function propertiesTest(properties: Schema, sub: (node: unknown) => Test, others: unknown): Test {
  const tests = new Map(Object.entries(properties).map(([key, node]) => [key, sub(node)]));
  const other = sub(others);
  return (found) => !isObject(found) || Object.keys(found).every((key) => (tests.get(key) ?? other)(found[key]));
}

function anyOf(tests: readonly Test[]): Test {
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return only;
  return (value) => tests.some((test) => test(value));
}

function typeTest(type: unknown): Test {
  switch (type) {
    case "object":
      return isObject;
    case "array":
      return Array.isArray;
    case "integer":
      return Number.isSafeInteger;
    case "string":
      return (value) => typeof value === "string";
    case "number":
      return (value) => typeof value === "number";
    case "boolean":
      return (value) => typeof value === "boolean";
  }
  throw new RangeError(`Cannot compile JSON Schema: type ${JSON.stringify(type)} is not known here`);
}
