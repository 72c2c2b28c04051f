/** Arguments by name, which were checked before. */
import type { ToolArguments } from "../../frame/messages.ts";

/** Undefined: it was not given. */
export function textOf(args: ToolArguments, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" ? value : undefined;
}

/** Empty: none was given. */
export function listOf(args: ToolArguments, name: string): readonly string[] {
  return givenList(args, name) ?? [];
}

/** Undefined: none was given. */
export function givenList(args: ToolArguments, name: string): readonly string[] | undefined {
  const value = args[name];
  return Array.isArray(value) ? value.map(String) : undefined;
}

export function numberOf(args: ToolArguments, name: string): number | undefined {
  const value = args[name];
  return typeof value === "number" ? value : undefined;
}
