import { builtinTraits, CALL_TOOL_NAME, FIND_TOOLS_NAME, RUN_SCRIPT_NAME } from "./builtin_traits.ts";
import type { ToolDefinition } from "./mtdf.ts";

/** The owner of a name that no tool file may use, in any case of letters; undefined: the name is free. */
export function reservedFor(name: string): string | undefined {
  if (builtinTraits(name.toLowerCase()) !== undefined) return "Ahma's own tool";
  if ([CALL_TOOL_NAME, FIND_TOOLS_NAME].includes(name.toLowerCase())) return "a tool of --lean";
  if (name.toLowerCase() === RUN_SCRIPT_NAME) return "the tool of --code-mode";
  return name === "__proto__" ? "JavaScript's objects" : undefined;
}

/** Clients cut or drop longer names (T5). */
export const LONGEST_NAME = 64;
/** Beyond this length, a name is too long for clients that put the server's name in front (T5). */
export const LONG_NAME = 45;

/** A leaf of this name is its parent itself (T5). */
export const DEFAULT_LEAF = "default";

/** The `command` of a tool that only has steps. */
export const SEQUENCE_COMMAND = "sequence";

/** The words of a command: split at white space, without quoting. */
export function commandWords(command: string): readonly string[] {
  return command.trim().split(/\s+/);
}

/**
 * The last part of a program's path.
 *
 * @example baseName("./gradlew") // "gradlew"
 */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The name of a tool: its own, the program's (T2), or a sequence file's; other characters become `-`. */
export function toolNameOf(definition: ToolDefinition, file: string): string {
  if (definition.name !== undefined) return definition.name;
  const program = definition.command === SEQUENCE_COMMAND
    ? baseName(file).replace(/\.json$/, "")
    : baseName(commandWords(definition.command)[0] ?? "");
  return program.replaceAll(/[^A-Za-z0-9_-]/g, "-");
}
