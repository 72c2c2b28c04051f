/** Which arguments of a shipped tool file could become options of the program that they are not meant as. */
import { checkArguments, type CheckedArguments } from "../../src/command/arguments.ts";
import { prepareCommand } from "../../src/command/command_line.ts";
import type { Leaf, LeafArgument } from "../../src/catalog/model/leaf.ts";

/** What an attacker would write; the empty text makes a short flag take the word behind it. */
const HOSTILE = ["-evil", "--evil=x", ""];

/** Those of the leaf whose hostile value stands alone where the program looks for options. */
export function couldBeOptions(leaf: Leaf): readonly string[] {
  const all = [...leaf.options, ...leaf.positionals];
  const texts = all.filter(({ type, items, env, file_arg: inFile }) =>
    (type === "string" || type === "array" && (items?.type ?? "string") === "string") && env === undefined && !inFile
  );
  return texts.filter((argument) => HOSTILE.some((value) => isAlone(leaf, argument, value)))
    .map(({ name }) => `${leaf.name} ${name}`);
}

function isAlone(leaf: Leaf, argument: LeafArgument, value: string): boolean {
  const others = [...leaf.options, ...leaf.positionals].filter(({ required }) => required);
  const given = Object.fromEntries(others.map((other) => [other.name, harmless(other)]));
  const checked = checkArguments(leaf, { ...given, [argument.name]: argument.type === "array" ? [value] : value });
  return checked.ok && standsAlone(leaf, checked.value, argument, value);
}

function standsAlone(leaf: Leaf, checked: CheckedArguments, argument: LeafArgument, value: string): boolean {
  const prepared = prepareCommand(leaf, checked);
  if (!prepared.ok) return false;
  const { argv } = prepared.value;
  const word = value === "" && argument.joined === true && argument.alias !== undefined ? `-${argument.alias}` : value;
  const [at, end] = [argv.indexOf(word), argv.indexOf("--")];
  return word !== "" && at >= 0 && (end < 0 || end > at);
}

/** A value that the argument takes. */
function harmless({ type, minimum, pattern }: LeafArgument): unknown {
  const text = pattern?.includes(":") === true ? "host:x" : "x";
  return type === "array" ? [text] : type === "integer" ? minimum ?? 1 : text;
}
