/**
 * Rows for programs that can do nothing in a test (no account, no daemon): each leaf once with every argument it has.
 * Such a program reads its flags first, so it gets as far as saying what it lacks only when it knows them all.
 */
import type { Leaf, LeafArgument } from "../../src/catalog/model/leaf.ts";
import { loadCatalogFromTexts } from "../../src/catalog/load/load.ts";
import type { Row } from "./row.ts";

/** How the rows of a file are made. */
export interface EveryOption {
  /** Base name in tools/. */
  readonly file: string;
  /** Values by argument name, where `x` and `1` are none. */
  readonly samples?: Readonly<Record<string, unknown>>;
  /** What the program says when it knows every flag. */
  readonly expected: RegExp;
  /** Leaves whose part of the program is separate, by the beginning of the MCP name, with the `needs` of their rows. */
  readonly needs?: Readonly<Record<string, string>>;
  /** Arguments that exclude others, by MCP name: left out here, and tried by a row of their own. */
  readonly without?: Readonly<Record<string, readonly string[]>>;
}

/** One failing row per leaf. */
export async function everyOption(plan: EveryOption): Promise<readonly Row[]> {
  const text = await Deno.readTextFile(new URL(`../../tools/${plan.file}`, import.meta.url));
  const { leaves } = await loadCatalogFromTexts([{ file: plan.file, text }]);
  return leaves.map((leaf) => rowOf(leaf, plan));
}

function rowOf(leaf: Leaf, plan: EveryOption): Row {
  const without = plan.without?.[leaf.name] ?? [];
  const used = [...leaf.options, ...leaf.positionals].filter(({ name }) => !without.includes(name));
  const needs = Object.entries(plan.needs ?? {}).find(([beginning]) => leaf.name.startsWith(beginning))?.[1];
  return {
    tool: leaf.name,
    args: Object.fromEntries(used.map((argument) => [argument.name, sampleOf(argument, plan.samples ?? {})])),
    fails: true,
    expected: plan.expected,
    ...needs !== undefined && { needs },
  };
}

function sampleOf(argument: LeafArgument, samples: Readonly<Record<string, unknown>>): unknown {
  const sample = samples[argument.name] ?? argument.enum?.[0];
  if (sample !== undefined) return argument.type === "array" ? [sample].flat() : sample;
  switch (argument.type) {
    case "boolean":
      return true;
    case "integer":
    case "number":
      return argument.minimum ?? 1;
    case "array":
      return ["x"];
    case "string":
      return argument.format === "path" ? "." : "x";
  }
}
