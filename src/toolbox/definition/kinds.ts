/** Builds rows of argument tables. Their types keep names and values, from which `ArgumentsOf` gets a call's type. */
import type { Parameter, ParameterType } from "./parameters.ts";

/** Further facts of a row. */
type More = Pick<Parameter, "required" | "aliases">;

type Row<Name extends string, Type extends ParameterType, Extra extends More> =
  & { readonly name: Name; readonly type: Type; readonly description: string }
  & NoInfer<Extra>; // not of what the table asks for

/** Marks a required argument. */
export const REQUIRED = { required: true } as const;

function row<Name extends string, const Type extends ParameterType, Extra extends More>(
  name: Name,
  type: Type,
  [description = "", more]: Words<Extra>,
): Row<Name, Type, Extra> {
  return { name, type, description, ...more } as Row<Name, Type, Extra>; // all members of it
}

interface Kind<Word extends ParameterType["kind"]> {
  readonly kind: Word;
}

type Words<Extra> = readonly [description?: string, more?: Extra];

/** A parameter whose value is a text. */
export function text<Name extends string, Extra extends More>(
  name: Name,
  ...words: Words<Extra>
): Row<Name, Kind<"text">, Extra> {
  return row(name, { kind: "text" }, words);
}

/** One whose value is a list of texts. */
export function texts<Name extends string, Extra extends More>(
  name: Name,
  ...words: Words<Extra>
): Row<Name, Kind<"texts">, Extra> {
  return row(name, { kind: "texts" }, words);
}

/** One whose value is true or false. */
export function flag<Name extends string, Extra extends More>(
  name: Name,
  ...words: Words<Extra>
): Row<Name, Kind<"flag">, Extra> {
  return row(name, { kind: "flag" }, words);
}

/** One whose value is one of a few words. */
export function choice<Name extends string, const Values extends readonly string[], Extra extends More>(
  name: Name,
  values: Values,
  ...words: Words<Extra>
): Row<Name, Kind<"choice"> & { readonly values: Values }, Extra> {
  return row(name, { kind: "choice", values }, words);
}

type Range = Omit<Extract<ParameterType, { readonly kind: "integer" }>, "kind">;

/** One whose value is an integer. */
export function integer<Name extends string, Extra extends More>(
  name: Name,
  range: Range,
  ...words: Words<Extra>
): Row<Name, Kind<"integer">, Extra> {
  return row(name, { kind: "integer", ...range }, words);
}

/** One whose value is an object with members of any name. */
export function object<Name extends string>(name: Name, description: string): Row<Name, Kind<"object">, More> {
  return row(name, { kind: "object" }, [description]);
}

/** One whose value is a list of objects, each with these members. */
export function objects<Name extends string, const Table extends readonly Parameter[], Extra extends More>(
  name: Name,
  of: Table,
  ...words: Words<Extra>
): Row<Name, Kind<"objects"> & { readonly of: Table }, Extra> {
  return row(name, { kind: "objects", of }, words);
}

export const LIMIT = integer("limit", { least: 1, most: 1000 }, "Default 50.");
export const OFFSET = integer("offset", { least: 0, most: 1_000_000 });
export const EXPECTED_REV = text("expected_rev", "Fails when the content has another `rev`.");
