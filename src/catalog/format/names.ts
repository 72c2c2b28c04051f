import type { ToolDefinition } from "./mtdf.ts";

/** Tools of Ahma itself (B1): no tool file may use their names. */
export const RESERVED_NAMES: readonly string[] = ["status", "await", "cancel", "sandboxed_shell"];

/** Whose name this is, whatever its case, so that no tool may have it; undefined: it is free. */
export function reservedFor(name: string): string | undefined {
  if (RESERVED_NAMES.includes(name.toLowerCase())) return "Ahma's own tool";
  return name === "__proto__" ? "JavaScript's objects" : undefined;
}

/** Clients cut or drop longer names (T5). */
export const LONGEST_NAME = 64;
/** From here on some clients, which put the server's name in front, get too long a name (T5). */
export const LONG_NAME = 45;

/** A leaf of this name stands for its parent (T5). */
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

/**
 * The name of a tool: its own, else the program's (T2), else, for a sequence, the file's.
 * Characters that no tool name may hold become `-`.
 */
export function toolNameOf(definition: ToolDefinition, file: string): string {
  if (definition.name !== undefined) return definition.name;
  const program = definition.command === SEQUENCE_COMMAND
    ? baseName(file).replace(/\.json$/, "")
    : baseName(commandWords(definition.command)[0] ?? "");
  return program.replaceAll(/[^A-Za-z0-9_-]/g, "-");
}
