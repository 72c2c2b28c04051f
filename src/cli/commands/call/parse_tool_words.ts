/** Reads words as arguments of a tool. A value of the wrong type stays text, which the tool's check reports. */
import { failure, type Outcome, success } from "../../../base/outcome.ts";
import { isObject, member, parseJson } from "../../../wire/json_value.ts";
import { closest } from "../../../base/suggest.ts";
import type { Tool } from "@modelcontextprotocol/server";
import { builtinTraits } from "../../../catalog/format/builtin_traits.ts";
import type { Leaf } from "../../../catalog/model/leaf.ts";

/** One argument of a tool, as its JSON Schema has it. */
export interface ArgumentShape {
  readonly name: string;
  /** `object`: repeated `NAME=VALUE`. */
  readonly type: "string" | "boolean" | "integer" | "number" | "array" | "object";
  /** Of an array's elements. */
  readonly itemType?: "string" | "integer" | "number";
  /** Short flag, without its dash. */
  readonly alias?: string;
}

/** The command line of a tool. */
export interface CallShape {
  readonly tool: string;
  /** Every argument by its name in a call. */
  readonly arguments: readonly ArgumentShape[];
  /** Names of the positional arguments, in their order. */
  readonly positionals: readonly string[];
  /** The first of them that takes what follows `--`; undefined: the first of all. */
  readonly behindDashes?: string;
  /** The argument that takes all further words; undefined: none does. */
  readonly rest: { readonly name: string; readonly joined: boolean } | undefined;
}

/** Flags of `call` itself that are typed after the tool's name, unless the tool has an argument of that name. */
const OBJECT_FLAGS = ["--json", "--args-json"];

/** Switches of `call` itself, likewise. */
const SWITCHES = ["--result-json", "--quiet"];

/** The words after a tool's name. */
interface ReadWords {
  readonly args: Readonly<Record<string, unknown>>;
  /** Switches of `call`, without their dashes. */
  readonly switches: readonly string[];
}

/** The arguments of a call; the problem is a sentence for stderr. */
export function wordsToArguments(shape: CallShape, words: readonly string[]): Outcome<ReadWords> {
  const switches: string[] = [];
  const values = new Map<string, unknown>();
  const plain: string[] = [];
  let behind: readonly string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (word === "--") {
      behind = words.slice(index + 1);
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      plain.push(word);
      continue;
    }
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const typed = equals < 0 ? word : word.slice(0, equals);
    const inline = equals < 0 ? undefined : word.slice(equals + 1);
    const argument = findArgument(shape, typed);
    if (argument === undefined && SWITCHES.includes(word)) {
      switches.push(word.slice(2));
      continue;
    }
    if (argument === undefined && !OBJECT_FLAGS.includes(typed)) return failure(unknownOption(shape, typed));
    if (argument?.type === "boolean") {
      values.set(argument.name, inline === undefined ? true : readScalar("boolean", inline));
      continue;
    }
    const value = inline ?? words[++index];
    if (value === undefined) return failure(`Cannot call "${shape.tool}": option "${typed}" needs a value`);
    const problem = argument === undefined ? addObject(values, value) : addValue(values, argument, value);
    if (problem !== undefined) return failure(`Cannot call "${shape.tool}": option "${typed}": ${problem}`);
  }
  const last = shape.positionals.indexOf(shape.behindDashes ?? "");
  const problem = last < 0 || behind.length === 0
    ? addWords(shape, values, [...plain, ...behind])
    : addWords({ ...shape, positionals: shape.positionals.slice(0, last) }, values, plain) ??
      addWords({ ...shape, positionals: shape.positionals.slice(last) }, values, behind);
  return problem === undefined ? success({ args: Object.fromEntries(values), switches }) : failure(problem);
}

function findArgument(shape: CallShape, typed: string): ArgumentShape | undefined {
  const exact = shape.arguments.find(({ name }) => name === typed || `--${name}` === typed);
  if (exact !== undefined) return exact;
  if (!typed.startsWith("--")) return shape.arguments.find(({ alias }) => alias !== undefined && `-${alias}` === typed);
  const folded = fold(typed.slice(2));
  return shape.arguments.find(({ name }) => fold(name) === folded);
}

function fold(name: string): string {
  return name.replaceAll("_", "-");
}

function addObject(values: Map<string, unknown>, text: string): string | undefined {
  const object = readObject(text);
  if (!object.ok) return object.problem;
  for (const [name, value] of Object.entries(object.value)) values.set(name, value);
  return undefined;
}

/** The JSON object in a text; the problem follows a colon. */
export function readObject(text: string): Outcome<Readonly<Record<string, unknown>>> {
  const parsed = parseJson(text);
  if (!parsed.ok) return failure(`it is not JSON (${parsed.problem})`);
  if (isObject(parsed.value)) return success(parsed.value);
  return failure(`${text} is not a JSON object, as in '{"name": "value"}'`);
}

function addValue(values: Map<string, unknown>, argument: ArgumentShape, text: string): string | undefined {
  const before = values.get(argument.name);
  if (argument.type === "array") {
    values.set(argument.name, [...Array.isArray(before) ? before : [], readScalar(argument.itemType, text)]);
  } else if (argument.type === "object") {
    const equals = text.indexOf("=");
    if (equals < 1) return `"${text}" is not of the form NAME=VALUE`;
    values.set(argument.name, { ...isObject(before) && before, [text.slice(0, equals)]: text.slice(equals + 1) });
  } else {
    if (before !== undefined) return "it was already given and takes one value";
    values.set(argument.name, readScalar(argument.type, text));
  }
  return undefined;
}

function readScalar(type: ArgumentShape["type"] | undefined, text: string): unknown {
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  const isNumber = type === "integer" || type === "number";
  return isNumber && /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
}

/** Assigns plain words to the positional arguments; a list takes all words that later arguments do not need. */
function addWords(shape: CallShape, values: Map<string, unknown>, words: readonly string[]): string | undefined {
  const open = shape.positionals.map((name) => shape.arguments.find((one) => one.name === name))
    .filter((one) => one !== undefined && !values.has(one.name)) as readonly ArgumentShape[]; // the filter says so
  let left = [...words];
  for (const [index, argument] of open.entries()) {
    if (left.length === 0) return undefined;
    const later = argument.type === "array" ? Math.min(open.length - index - 1, left.length - 1) : left.length - 1;
    const own = left.slice(0, left.length - later);
    left = left.slice(own.length);
    if (argument.name === shape.rest?.name && shape.rest.joined) {
      values.set(argument.name, [...own, ...left].join(" "));
      return undefined;
    }
    for (const word of own) addValue(values, argument, word);
  }
  if (left.length === 0) return undefined;
  if (shape.rest !== undefined) {
    values.set(shape.rest.name, left);
    return undefined;
  }
  const expected = shape.positionals.length === 0
    ? "it takes options only"
    : `it takes ${shape.positionals.join(", ")}`;
  return `Cannot call "${shape.tool}": unexpected word "${left[0]}": ${expected}, ` +
    `see "ahma_mcp call ${shape.tool} --help"`;
}

function unknownOption(shape: CallShape, typed: string): string {
  const names = shape.arguments.map(({ name }) => name.replace(/^-+/, "").replaceAll("_", "-"));
  const guess = closest(typed.replace(/^-+/, ""), names);
  const advice = guess === undefined ? `see "ahma_mcp call ${shape.tool} --help"` : `did you mean "--${guess}"?`;
  return `Cannot call "${shape.tool}": unknown option "${typed}": ${advice}`;
}

const TYPES: readonly ArgumentShape["type"][] = ["string", "boolean", "integer", "number", "array", "object"];

/** Without a `leaf`, words are what the built-in table says, else the tool's required texts in their order. */
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
  const behind = leaf?.positionals.find((one) => one.end_of_options === true)?.name;
  const word = leaf === undefined ? builtinTraits(tool.name)?.wordArgument : undefined;
  const takesRest = leaf?.allowArgs === true && shapes.some(({ name }) => name === "args");
  return {
    tool: tool.name,
    arguments: shapes,
    positionals: word === undefined ? leaf?.positionals.map(({ name }) => name) ?? requiredTexts(tool, shapes) : [word],
    ...behind !== undefined && { behindDashes: behind },
    rest: word === "command" ? { name: word, joined: true } : takesRest ? { name: "args", joined: false } : undefined,
  };
}

const ITEM_TYPES = ["string", "integer", "number"] as const;

function requiredTexts({ inputSchema }: Tool, shapes: readonly ArgumentShape[]): readonly string[] {
  const isText = ({ type, itemType }: ArgumentShape) => type === "string" || type === "array" && itemType === "string";
  return shapes.filter((shape) => inputSchema.required?.includes(shape.name) && isText(shape)).map(({ name }) => name);
}
