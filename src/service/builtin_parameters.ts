/** Arguments of built-in tools (B1). One table for each tool gives both its listed schema and the check of a call. */
import { shownValue } from "../base/text.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { didYouMean } from "../base/suggest.ts";
import { isObject } from "../wire/json_value.ts";
import { parseBounded } from "../wire/message_reader.ts";
import { compileSchema } from "../catalog/format/json_schema.ts";
import type { InputSchema } from "../catalog/model/input_schema.ts";
import { EXECUTION_MODES, LONGEST_TIMEOUT_SECONDS } from "../catalog/model/meta_parameters.ts";

/** `input` may contain any character. `wait` may be zero, `limit` may not. */
export type ParameterKind = keyof typeof SCHEMAS;

export interface Parameter {
  readonly name: string;
  readonly kind: ParameterKind;
  /** Absent: the name is enough. */
  readonly description?: string;
  readonly required?: boolean;
  /** The `flag` with which a required argument may be omitted; absent: there is none. */
  readonly unless?: string;
  /** Another accepted name. */
  readonly alias?: string;
  /** Listed and accepted only where calls may be previewed (S40); absent: always. */
  readonly previews?: true;
  /** An example for the error about a wrong value; absent: none is shown. */
  readonly example?: string;
}

/** Checked arguments of a built-in tool, by parameter name. */
export interface BuiltinArguments {
  /** A `text`, `input` or `mode`; undefined: not given. */
  text(name: string): string | undefined;
  /** A `wait`, `limit`, `count`, `offset` or `port`; undefined: not given. */
  number(name: string): number | undefined;
  /** Names and values of `variables`; empty: not given. */
  variables(name: string): Readonly<Record<string, string>>;
  /** A `flag`; false: not given. */
  flag(name: string): boolean;
  /** `texts`; empty: not given. */
  texts(name: string): readonly string[];
  /** An `object`; empty: not given. */
  object(name: string): Readonly<Record<string, unknown>>;
}

/** The JSON Schema of a table; aliases are properties too. Bounds are only checked, which keeps lists short. */
export function schemaOf(parameters: readonly Parameter[]): InputSchema {
  const entries = parameters.flatMap(({ name, kind, description, alias }) => {
    const { minimum: _least, maximum: _most, exclusiveMinimum: _above, ...listed }: Record<string, unknown> =
      SCHEMAS[kind];
    return [
      [name, description === undefined ? listed : { ...listed, description }] as const,
      ...alias === undefined ? [] : [[alias, listed] as const],
    ];
  });
  // A client may send the alias instead, so a parameter with an alias cannot be listed as required.
  const required = parameters.filter((one) => one.required && one.alias === undefined).map((one) => one.name);
  return {
    type: "object",
    properties: Object.fromEntries(entries),
    ...required.length > 0 && { required },
    additionalProperties: false,
  };
}

/** Checks the arguments of a call of `tool`; the problem is the text of the result. */
export function checkBuiltinArguments(
  tool: string,
  parameters: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
): Outcome<BuiltinArguments> {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(given)) {
    const parameter = parameters.find((one) => one.name === name || one.alias === name);
    if (parameter === undefined) return failure(unknownArgument(tool, name, parameters));
    const expected = value === undefined ? undefined : CHECKS[parameter.kind](value);
    if (expected !== undefined) {
      const example = parameter.example === undefined ? "" : ` such as ${JSON.stringify(parameter.example)}`;
      return failure(
        `Cannot run "${tool}": argument "${name}" is ${shownValue(value)}, expected ${expected}${example}`,
      );
    }
    if (values.has(parameter.name) && values.get(parameter.name) !== value) {
      const names = `"${parameter.name}" and "${parameter.alias}"`;
      return failure(`Cannot run "${tool}": arguments ${names} are the same one and differ: give one of them`);
    }
    values.set(parameter.name, value);
  }
  const isMissing = ({ name, required, unless }: Parameter) =>
    required === true && values.get(name) === undefined && !(unless !== undefined && values.get(unless) === true);
  const missing = parameters.find(isMissing);
  if (missing !== undefined) return failure(`Cannot run "${tool}": ${missingArgument(missing)}`);
  return success({
    text: (name) => textOf(values.get(name)),
    number: (name) => numberOf(values.get(name)),
    // The checks of `variables` and `texts` ensure that every value is a text.
    variables: (name) => (values.get(name) ?? {}) as Record<string, string>,
    flag: (name) => values.get(name) === true,
    texts: (name) => (values.get(name) ?? []) as string[],
    object: (name) => objectOf(values.get(name)) ?? {},
  });
}

const SCHEMAS = {
  text: { type: "string" },
  input: { type: "string" },
  wait: { type: "number", minimum: 0, maximum: LONGEST_TIMEOUT_SECONDS },
  limit: { type: "number", exclusiveMinimum: 0, maximum: LONGEST_TIMEOUT_SECONDS },
  count: { type: "integer", minimum: 1, maximum: 1000 },
  offset: { type: "integer", minimum: 0 },
  port: { type: "integer", minimum: 1, maximum: 65_535 },
  mode: { type: "string", enum: EXECUTION_MODES },
  variables: { type: "object", additionalProperties: { type: "string" } },
  object: { type: "object" },
  flag: { type: "boolean" },
  texts: { type: "array", items: { type: "string" } },
} as const;

/** The expected value for a wrong one; undefined: the value is right. */
const CHECKS: Readonly<Record<ParameterKind, (value: unknown) => string | undefined>> = {
  text: (value) => textProblem(value) ?? (String(value).includes("\0") ? "a string without NUL" : undefined),
  input: textProblem,
  wait: asListed("wait", `a number of seconds from 0 to ${LONGEST_TIMEOUT_SECONDS}`),
  limit: asListed("limit", `a number of seconds above 0, at most ${LONGEST_TIMEOUT_SECONDS}`),
  count: asListed("count", "an integer from 1 to 1000"),
  offset: asListed("offset", "an integer from 0"),
  port: asListed("port", "an integer from 1 to 65535"),
  mode: asListed("mode", EXECUTION_MODES.map((mode) => `"${mode}"`).join(" or ")),
  variables: (value) => areVariables(value) ? undefined : "an object of strings whose keys are names of variables",
  object: (value) => objectOf(value) === undefined ? "an object" : undefined,
  flag: asListed("flag", "true or false"),
  texts: (value) =>
    Array.isArray(value) && value.every((one) => CHECKS.text(one) === undefined) ? undefined : "an array of strings",
};

function asListed(kind: ParameterKind, expected: string): (value: unknown) => string | undefined {
  const fits = compileSchema(SCHEMAS[kind]);
  return (value) => fits(value) ? undefined : expected;
}

/** A lone surrogate cannot be encoded, so the command would receive another character. */
function textProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "a string";
  return value.isWellFormed() ? undefined : "a string of valid Unicode, without half a surrogate pair";
}

function areVariables(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, text]) =>
    /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && CHECKS.text(text) === undefined
  );
}

function missingArgument({ name, description, alias }: Parameter): string {
  const names = alias === undefined ? `"${name}"` : `"${name}" (or "${alias}")`;
  return `argument ${names} is missing${description === undefined ? "" : `: ${description.replace(/[.]$/, "")}`}`;
}

function unknownArgument(tool: string, name: string, parameters: readonly Parameter[]): string {
  const names = parameters.map((one) => one.name);
  const allowed = names.length === 0 ? "none" : names.join(", ");
  return `Cannot run "${tool}": argument "${name}" does not exist${didYouMean(name, names)} (arguments: ${allowed})`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Some clients send an object with arbitrary members as JSON text; its size is limited like a message. */
function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (isObject(value)) return value;
  const parsed = typeof value === "string" ? parseBounded(value) : undefined;
  return parsed?.ok === true && isObject(parsed.value) ? parsed.value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
