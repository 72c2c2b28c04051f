/** The length of what a tool hands down: each subcommand gets it, so a long text would be as many long texts (T4). */
import { errorAt, type UnplacedDiagnostic } from "../format/diagnostic.ts";
import type { SubcommandDefinition, ToolDefinition } from "../format/mtdf.ts";

/** Fields that go on to every subcommand below. */
const INHERITED_FIELDS = ["command", "argv", "description", "install_instructions", "availability_check"] as const;
/** JSON characters of one of them. */
const LONGEST_INHERITED = 16 * 1024;

/** An error for each field that is too long, of the tool and of its subcommands. */
export function inheritedLengths(
  node: ToolDefinition | SubcommandDefinition,
  at: readonly (string | number)[] = [],
): readonly UnplacedDiagnostic[] {
  const fields: Readonly<Record<string, unknown>> = { ...node };
  const own = INHERITED_FIELDS.flatMap((field) => {
    const length = JSON.stringify(fields[field] ?? "").length;
    if (length <= LONGEST_INHERITED) return [];
    return [errorAt([...at, field], `"${field}" has ${length} characters, at most ${LONGEST_INHERITED}: shorten it`)];
  });
  const below = node.subcommand ?? [];
  return [...own, ...below.flatMap((child, index) => inheritedLengths(child, [...at, "subcommand", index]))];
}
