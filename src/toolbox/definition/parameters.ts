/** Arguments of native tools: one table for each tool gives its listed schema and the check of a call (K1). Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { didYouMean } from "../../base/suggest.ts";
import { shownValue } from "../../base/text.ts";
import { isObject } from "../../wire/json_value.ts";
import { parseBounded } from "../../wire/message_reader.ts";

/** What an argument may be. */
export type ParameterType =
  | { readonly kind: "text" }
  | { readonly kind: "flag" }
  | { readonly kind: "integer"; readonly least?: number; readonly most?: number }
  | { readonly kind: "choice"; readonly values: readonly string[] }
  /** A list of texts; a single text stands for a list of one. */
  | { readonly kind: "texts" }
  /** A list of objects, each with these members. */
  | { readonly kind: "objects"; readonly of: readonly Parameter[] }
  /** An object with members of any name. */
  | { readonly kind: "object" };

export interface Parameter {
  readonly name: string;
  readonly type: ParameterType;
  /** For the model; empty: the name is enough. */
  readonly description: string;
  readonly required?: true;
  /** Other accepted names, which are not listed; absent: none. */
  readonly aliases?: readonly string[];
}

/** The checked arguments of a call, by the type of their table. */
export type ArgumentsOf<Table extends readonly Parameter[]> =
  & { readonly [Row in Extract<Table[number], { readonly required: true }> as Row["name"]]: ValueOf<Row["type"]> }
  & { readonly [Row in Exclude<Table[number], { readonly required: true }> as Row["name"]]?: ValueOf<Row["type"]> };

interface PlainValues {
  readonly text: string;
  readonly flag: boolean;
  readonly integer: number;
  readonly texts: readonly string[];
  readonly object: Values;
}

type ValueOf<Type extends ParameterType> = Type["kind"] extends keyof PlainValues ? PlainValues[Type["kind"]]
  : Type extends { readonly values: readonly (infer Word)[] } ? Word
  : Type extends { readonly of: infer Table extends readonly Parameter[] } ? readonly ArgumentsOf<Table>[]
  : never;

/** The JSON Schema of a table, without the aliases. */
export function schemaOf(parameters: readonly Parameter[]): Readonly<Record<string, unknown>> {
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(parameters.map(({ name, type, description }) => [name, {
      ...typeSchema(type),
      ...description !== "" && { description },
    }])),
    ...required.length > 0 && { required },
    additionalProperties: false,
  };
}

/** Arguments by their documented names. Numbers, flags, lists and objects may be text, as some clients send them. */
export function checkArguments(
  tool: string,
  parameters: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
): Outcome<Readonly<Record<string, unknown>>> {
  const checked = checkMembers(parameters, given, "argument");
  return checked.ok ? checked : failure(`Cannot run "${tool}": ${checked.problem}`);
}

type Values = Readonly<Record<string, unknown>>;

function checkMembers(parameters: readonly Parameter[], given: Values, what: string): Outcome<Values> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const parameter = parameters.find((one) => one.name === name || one.aliases?.includes(name));
    if (parameter === undefined) return failure(unknownName(name, parameters, what));
    if (value === undefined || value === null) continue;
    const read = readValue(parameter.type, value);
    if (!read.ok) return failure(`${what} "${name}" is ${shownValue(value)}, expected ${read.problem}`);
    if (Object.hasOwn(values, parameter.name)) {
      return failure(`${what} "${parameter.name}" is given twice, once as "${name}": give it once`);
    }
    values[parameter.name] = read.value;
  }
  const missing = parameters.find(({ name, required }) => required && !Object.hasOwn(values, name));
  if (missing === undefined) return success(values);
  const meaning = missing.description.replace(/[.]$/, "");
  return failure(`${what} "${missing.name}" is missing${meaning === "" ? "" : `: ${meaning}`}`);
}

function unknownName(name: string, parameters: readonly Parameter[], what: string): string {
  const names = parameters.map((one) => one.name);
  return `${what} "${name}" does not exist${didYouMean(name, names)} (${what}s: ${names.join(", ") || "none"})`;
}

function typeSchema(type: ParameterType): Record<string, unknown> {
  switch (type.kind) {
    case "text":
      return { type: "string" };
    case "flag":
      return { type: "boolean" };
    case "integer":
      return {
        type: "integer",
        ...type.least !== undefined && { minimum: type.least },
        ...type.most !== undefined && { maximum: type.most },
      };
    case "choice":
      return { type: "string", enum: [...type.values] };
    case "texts":
      return { type: "array", items: { type: "string" } };
    case "objects":
      return { type: "array", items: schemaOf(type.of) };
    case "object":
      return { type: "object" };
  }
}

/** The value in its type; the problem says what is expected. */
function readValue(type: ParameterType, value: unknown): Outcome<unknown> {
  switch (type.kind) {
    case "text":
      return isText(value) ? success(value) : failure("a string of valid Unicode");
    case "flag":
      return readFlag(value);
    case "integer":
      return readInteger(type, value);
    case "choice":
      return type.values.some((one) => one === value)
        ? success(value)
        : failure(type.values.map((one) => `"${one}"`).join(" or "));
    case "texts": {
      const list = listOf(value) ?? (isText(value) ? [value] : undefined);
      return list?.every(isText) ? success(list) : failure("a list of strings");
    }
    case "objects":
      return readObjects(type.of, value);
    case "object": {
      const object = parsed(value);
      return isObject(object) ? success(object) : failure("an object");
    }
  }
}

function readFlag(value: unknown): Outcome<boolean> {
  const flag = value === "true" ? true : value === "false" ? false : value;
  return typeof flag === "boolean" ? success(flag) : failure("true or false");
}

function readInteger({ least, most }: { readonly least?: number; readonly most?: number }, value: unknown) {
  const number = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  const fits = Number.isSafeInteger(number) && Number(number) >= (least ?? -Infinity) &&
    Number(number) <= (most ?? Infinity);
  if (fits) return success(number);
  const from = least === undefined ? "" : ` from ${least}`;
  return failure(`an integer${from}${most === undefined ? "" : ` to ${most}`}`);
}

function readObjects(members: readonly Parameter[], value: unknown): Outcome<unknown> {
  const list = listOf(value);
  if (list === undefined) return failure("a list of objects");
  const read: Values[] = [];
  for (const [index, item] of list.entries()) {
    if (!isObject(item)) return failure(`objects, and item ${index + 1} is none`);
    const checked = checkMembers(members, item, "member");
    if (!checked.ok) return failure(`other members of item ${index + 1}: ${checked.problem}`);
    read.push(checked.value);
  }
  return success(read);
}

function listOf(value: unknown): readonly unknown[] | undefined {
  const list = parsed(value);
  return Array.isArray(list) ? list : undefined;
}

/** Parses the JSON text of an object or list; returns anything else unchanged. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  const read = parseBounded(value);
  return read.ok ? read.value : value;
}

/** Whether it is a well-formed text; a lone surrogate cannot be encoded. */
function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed();
}
