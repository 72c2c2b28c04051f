/** Rows of the tables of arguments, by the kind of their value, and those that several tools have. */
import type { Parameter, ParameterType } from "./parameters.ts";

/** Further facts of a row. */
type More = Pick<Parameter, "required" | "aliases">;

/** For an argument that each call must have. */
export const REQUIRED = { required: true } as const;

/** A parameter whose value is a text. */
export function text(name: string, description = "", more: More = {}): Parameter {
  return { name, type: { kind: "text" }, description, ...more };
}

/** One whose value is a list of texts. */
export function texts(name: string, description = "", more: More = {}): Parameter {
  return { name, type: { kind: "texts" }, description, ...more };
}

/** One whose value is true or false. */
export function flag(name: string, description = "", more: More = {}): Parameter {
  return { name, type: { kind: "flag" }, description, ...more };
}

/** One whose value is one of a few words. */
export function choice(name: string, values: readonly string[], description = "", more: More = {}): Parameter {
  return { name, type: { kind: "choice", values }, description, ...more };
}

type Range = Omit<Extract<ParameterType, { readonly kind: "integer" }>, "kind">;

/** One whose value is an integer. */
export function integer(name: string, range: Range, description = "", more: More = {}): Parameter {
  return { name, type: { kind: "integer", ...range }, description, ...more };
}

/** One whose value is an object with members of any name. */
export function object(name: string, description: string): Parameter {
  return { name, type: { kind: "object" }, description };
}

/** One whose value is a list of objects, each with these members. */
export function objects(name: string, of: readonly Parameter[], description = "", more: More = {}): Parameter {
  return { name, type: { kind: "objects", of }, description, ...more };
}

export const LIMIT: Parameter = integer("limit", { least: 1, most: 1000 }, "Default 50.");
export const OFFSET: Parameter = integer("offset", { least: 0, most: 1_000_000 });
export const EXPECTED_REV: Parameter = text("expected_rev", "Fails when the content has another `rev`.");
