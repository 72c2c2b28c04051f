/** One tool for a tool file (`--tool-style program`); `subcommand` names the leaf. Calls are checked as its. */
import type { Tool } from "@modelcontextprotocol/server";
import { inputSchemaOf } from "../../catalog/model/input_schema.ts";
import type { Catalog, Leaf } from "../../catalog/model/leaf.ts";
import { DEFAULT_LEAF } from "../../catalog/format/names.ts";
import { firstSentence, groupGuidance, type ListFacts } from "../result/listed_texts.ts";

/** One schema of a property, and the leaves that have it. */
interface Variant {
  /** The schema without description and without the mark as required. */
  readonly schema: Record<string, unknown>;
  readonly leaves: string[];
  readonly description: string;
}

/** Leaves that are listed as one tool, by its name; a tool with one leaf, or whose name is taken, is not grouped. */
export function programGroups(catalog: Catalog, facts: ListFacts): ReadonlyMap<string, readonly Leaf[]> {
  const byTool = Map.groupBy(catalog.leaves, (leaf) => leaf.tool);
  return new Map(catalog.tools.flatMap(({ name, definition }) => {
    const leaves = byTool.get(name) ?? [];
    const style = definition.tool_style ?? facts.settings.toolStyle;
    const other = catalog.byName.get(name);
    const isFree = other === undefined || other.tool === name;
    return style === "program" && leaves.length > 1 && isFree &&
        !leaves.some((leaf) => catalog.withSubcommand.has(leaf))
      ? [[name, leaves]]
      : [];
  }));
}

/** The one tool. `description`: the tool file's own; empty: none. */
export function programTool(
  { name, description, leaves }: {
    readonly name: string;
    readonly description: string;
    readonly leaves: readonly Leaf[];
  },
  facts: ListFacts,
): Tool {
  const lines = leaves.map((leaf) => `${nameIn(leaf)}: ${firstSentence(leaf.description)}`);
  const guidance = groupGuidance(leaves, facts);
  return {
    name,
    description: [description, lines.join("\n"), guidance].filter((part) => part !== "").join("\n\n"),
    inputSchema: schemaOf(leaves),
  };
}

function schemaOf(leaves: readonly Leaf[]): Tool["inputSchema"] {
  const schemas = leaves.map((leaf) => ({ leaf, schema: inputSchemaOf(leaf) }));
  const names = new Set(schemas.flatMap(({ schema }) => Object.keys(schema.properties)));
  const required = [...names].filter((name) => schemas.every(({ schema }) => schema.required?.includes(name)));
  const properties = Object.fromEntries([...names].map((name) => {
    const variants: Variant[] = [];
    for (const { leaf, schema } of schemas) {
      const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
      const note = schema.required?.includes(name) && !required.includes(name) ? " (required)" : "";
      if (property !== undefined) addVariant(variants, nameIn(leaf) + note, property);
    }
    return [name, merged(variants, leaves.length)];
  }));
  const isWhole = leaves.some(({ path }) => path.length === 0);
  return {
    type: "object",
    // A schema is JSON, which its own type does not say: its members are `unknown`.
    properties: {
      subcommand: { type: "string", enum: leaves.map(nameIn), ...isWhole && { default: DEFAULT_LEAF } },
      ...properties,
    } as Tool["inputSchema"]["properties"],
    required: [...isWhole ? [] : ["subcommand"], ...required],
    additionalProperties: false,
  } as Tool["inputSchema"];
}

function addVariant(variants: Variant[], leaf: string, property: Readonly<Record<string, unknown>>): void {
  const { description, minItems: _, ...schema } = property;
  const text = typeof description === "string" ? description : "";
  const same = variants.find((one) => one.description === text && isEqual(one.schema, schema));
  if (same === undefined) variants.push({ schema, leaves: [leaf], description: text });
  else same.leaves.push(leaf);
}

/** Joins the forms of a property with `anyOf`; the description says which leaf takes which. */
function merged(variants: readonly Variant[], leaves: number): Record<string, unknown> {
  const schemas = variants.map(({ schema }) => schema)
    .filter((schema, index, all) => all.findIndex((one) => isEqual(one, schema)) === index);
  const [first] = variants;
  const isEverywhere = variants.length === 1 && first?.leaves.length === leaves &&
    !first.leaves.some((leaf) => leaf.endsWith(")"));
  const description = isEverywhere
    ? first.description
    : variants.map((one) => one.leaves.join(", ") + (one.description === "" ? "" : `: ${one.description}`)).join(" | ");
  return {
    ...schemas.length === 1 ? schemas[0] : { anyOf: schemas },
    ...description !== "" && { description },
  };
}

/** As `subcommand` names it. */
function nameIn({ path }: Leaf): string {
  return path.length === 0 ? DEFAULT_LEAF : path.join("_");
}

/** Both come from one function, so their members have the same order. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
