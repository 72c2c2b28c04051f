/** What `tools/list` shows: built-in tools first, then the catalog in its order. */
import { shownValue } from "../../base/text.ts";
import { ProtocolError, ProtocolErrorCode, type Tool } from "@modelcontextprotocol/server";
import { visibleText } from "../../base/visible_text.ts";
import type { Catalog, Leaf } from "../../catalog/model/leaf.ts";
import { inputSchemaOf } from "../../catalog/model/input_schema.ts";
import { BUILTIN_TOOLS } from "../builtin/registry.ts";
import { schemaOf } from "../builtin_parameters.ts";
import { listedDescription, listedName, type ListFacts } from "../result/listed_texts.ts";
import { programGroups, programTool } from "../result/program_tool.ts";
import { builtinTraits, supportsTask } from "../../catalog/format/builtin_traits.ts";

const TASK_SUPPORT = { taskSupport: "optional" } as const;

/** Lists the tools of a catalog; keeps the last list, because most clients ask more than once. */
export class ToolLister {
  readonly #facts: ListFacts;
  #catalog: Catalog | undefined;
  #tools: Tool[] = [];
  #withTasks: Tool[] = [];
  /** Leaves of unchanged files are the same objects, and so are their definitions. */
  readonly #known = new WeakMap<Leaf, Tool>();

  constructor(facts: ListFacts) {
    this.#facts = facts;
  }

  /**
   * Everything on one page. Since no cursor is ever given out, any cursor is invalid. `withTasks`: says which tools may
   * be called as tasks, in the one version that has a word for it.
   * @throws ProtocolError -32602 for a cursor
   */
  list(catalog: Catalog, cursor: string | undefined, withTasks?: boolean): Tool[] {
    if (cursor !== undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Invalid cursor ${shownValue(cursor)}: the list has one page`,
      );
    }
    if (catalog !== this.#catalog) {
      const tools = [...builtinTools(this.#facts), ...this.#leafTools(catalog)];
      this.#tools = tools.map((tool) => this.#named(tool));
      this.#withTasks = tools.map((tool) =>
        supportsTask(tool.name) ? { ...this.#named(tool), execution: TASK_SUPPORT } : this.#named(tool)
      );
      this.#catalog = catalog;
    }
    return withTasks === true && !this.#facts.settings.synchronous ? this.#withTasks : this.#tools;
  }

  #named(tool: Tool): Tool {
    return this.#facts.settings.toolPrefix ? { ...tool, name: listedName(this.#facts, tool.name) } : tool;
  }

  /** A leaf that has the name of a built-in tool is left out; leaves of one program stand where the first of them does. */
  #leafTools(catalog: Catalog): Tool[] {
    const groups = programGroups(catalog, this.#facts);
    return catalog.leaves.filter((leaf) => !BUILTIN_TOOLS.has(leaf.name)).flatMap((leaf) => {
      const leaves = groups.get(leaf.tool);
      if (leaves !== undefined && leaves[0] !== leaf) return [];
      const tool = this.#known.get(leaf) ?? this.#toolOf(leaf, leaves, catalog);
      if (leaves === undefined) this.#known.set(leaf, tool);
      return [tool];
    });
  }

  #toolOf(leaf: Leaf, leaves: readonly Leaf[] | undefined, { tools }: Catalog): Tool {
    if (leaves === undefined) return leafTool(leaf, this.#facts);
    const description = tools.find(({ name }) => name === leaf.tool)?.definition.description ?? "";
    return programTool({ name: leaf.tool, description: visibleText(description.trim()), leaves }, this.#facts);
  }
}

function builtinTools(facts: ListFacts): Tool[] {
  return [...BUILTIN_TOOLS.values()].map(({ name, title, describe, annotations, parameters }) => {
    const { readOnly } = builtinTraits(name);
    return {
      name,
      title,
      description: describe(facts),
      // As below.
      inputSchema: { ...schemaOf(parameters) } as Tool["inputSchema"],
      annotations: { readOnlyHint: readOnly, destructiveHint: !readOnly, ...annotations },
    };
  });
}

/** A leaf as a tool of its own. */
export function leafTool(leaf: Leaf, facts: ListFacts): Tool {
  return {
    name: leaf.name,
    description: listedDescription(leaf, facts),
    // A schema is JSON, which its own type does not say: its members are `unknown`.
    inputSchema: { ...inputSchemaOf(leaf) } as Tool["inputSchema"],
  };
}
