/** Parameters that tools for notes share. */
import type { Parameter } from "./parameters.ts";

/** A parameter whose value is a text. */
export function text(name: string, description = "", more: Partial<Parameter> = {}): Parameter {
  return { name, type: { kind: "text" }, description, ...more };
}

/** One whose value is a list of texts. */
export function texts(name: string, description = ""): Parameter {
  return { name, type: { kind: "texts" }, description };
}

/** One whose value is true or false. */
export function flag(name: string, description = ""): Parameter {
  return { name, type: { kind: "flag" }, description };
}

/** One whose value is one of a few words. */
export function choice(name: string, values: readonly string[], description = ""): Parameter {
  return { name, type: { kind: "choice", values }, description };
}

/** One whose value is an integer. */
export function count(name: string, least: number, most: number, description = ""): Parameter {
  return { name, type: { kind: "integer", least, most }, description };
}

export const LIMIT: Parameter = count("limit", 1, 1000, "Default 50.");
export const OFFSET: Parameter = count("offset", 0, 1_000_000);
export const EXPECTED_REV: Parameter = text(
  "expected_rev",
  "Fails when the content has another `rev`.",
);
