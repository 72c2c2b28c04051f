/** One tool file on its own: text in, definition and diagnostics out. No content makes this throw. */
import { member, parseJson } from "../../wire/json_value.ts";
import { brokenTextDiagnostics, repeatsKeys } from "./check_text.ts";
import { checkTool } from "./check_tool.ts";
import { errorAt, type UnplacedDiagnostic, warningAt } from "../format/diagnostic.ts";
import { lazy } from "../../base/lazy.ts";
import { isToolDefinition, withoutNullFields } from "../format/is_tool_definition.ts";
import type { ToolDefinition } from "../format/mtdf.ts";

/** What became of a text. */
export type ParsedTool =
  | { readonly kind: "not_json"; readonly cause: string }
  | { readonly kind: "refused"; readonly diagnostics: readonly UnplacedDiagnostic[] }
  /** It does not have the format. `explain` loads the code that describes its faults, which takes longer than reading a hundred good files. */
  | { readonly kind: "malformed"; readonly explain: () => Promise<readonly UnplacedDiagnostic[]> }
  /** The diagnostics are warnings. With `repeatsKeys` some key was given twice: `placeDiagnostics` says which. */
  | {
    readonly kind: "accepted";
    readonly definition: ToolDefinition;
    readonly diagnostics: readonly UnplacedDiagnostic[];
    readonly repeatsKeys: boolean;
  };

/** Subcommands nested deeper than this have no readable name, and would let a file exhaust the stack. */
const DEEPEST_SUBCOMMAND = 8;
/** Each costs time at every load, and no client accepts more tools. */
const MOST_SUBCOMMANDS = 1_000;
const GUIDANCE_FILE = "The file holds guidance for another program and no tool: it has no effect, " +
  'put what matters into "description" or "hints" of the tools';

/** Checks the text of a tool file against the format and the rules that concern this file alone (T4). */
export function parseTool(text: string): ParsedTool {
  const json = parseJson(text);
  if (!json.ok) return { kind: "not_json", cause: json.problem };
  const many = tooManySubcommands(json.value);
  if (many !== undefined) return { kind: "refused", diagnostics: [errorAt(["subcommand"], many)] };
  if (isGuidanceFile(json.value)) return { kind: "refused", diagnostics: [warningAt([], GUIDANCE_FILE)] };
  const definition = withoutNullFields(json.value, text);
  if (!isToolDefinition(definition)) return { kind: "malformed", explain: lazy(() => faultsOf(definition)) };
  const diagnostics = [...brokenTextDiagnostics(text, definition), ...checkTool(definition, text.length)];
  if (diagnostics.some((diagnostic) => diagnostic.severity === "error")) return { kind: "refused", diagnostics };
  return { kind: "accepted", definition, diagnostics, repeatsKeys: repeatsKeys(text, json.value) };
}

async function faultsOf(definition: unknown): Promise<readonly UnplacedDiagnostic[]> {
  const { formatDiagnostics } = await import("./format_diagnostics.ts");
  return formatDiagnostics(definition);
}

/** A file that another program keeps among its tool files: not a tool file, and not an error. */
function isGuidanceFile(parsed: unknown): boolean {
  return typeof parsed === "object" && parsed !== null && !("command" in parsed) &&
    ("guidance_blocks" in parsed || "legacy_guidance" in parsed);
}

/** Level by level, without recursion: the file chooses the depth. */
function tooManySubcommands(parsed: unknown): string | undefined {
  let level: readonly unknown[] = [parsed];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST_SUBCOMMAND) return `Subcommands are nested more than ${DEEPEST_SUBCOMMAND} deep: flatten them`;
    level = level.flatMap((node) => {
      const below = member(node, "subcommand");
      return Array.isArray(below) ? below : [];
    });
    count += level.length;
    if (count > MOST_SUBCOMMANDS) return `There are more than ${MOST_SUBCOMMANDS} subcommands: split the file`;
  }
  return undefined;
}
