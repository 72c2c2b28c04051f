/** What `ps` prints: a document for programs, or a table for this terminal or a pipe (V1). */
import type { ListedServer } from "../../../control/protocol/messages.ts";
import { colours } from "../../terminal/colours.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { mayColour, terminalWidth } from "../../terminal/print.ts";
import { operationTable } from "./ps_table.ts";

/** Of a line in a pipe. */
const WIDTH_IN_PIPE = 400;

/** One document: what each server lists. */
export function operationsAsJson(servers: readonly ListedServer[], indent?: number): string {
  return `${JSON.stringify({ servers }, null, indent ?? 2)}\n`;
}

/** The table for this terminal, or for a pipe. */
export function tableFor(servers: readonly ListedServer[], environment: CommandContext["environment"]): string {
  return operationTable(servers, {
    width: terminalWidth() ?? WIDTH_IN_PIPE,
    colours: colours(mayColour(environment)),
    home: environment["HOME"],
  });
}
