import type { Colours } from "../../terminal/colours.ts";
import type { ClientSettings } from "../clients/client_settings.ts";
import type { ClientName } from "../../../settings/flags/client_names.ts";
import { wrapped } from "../../terminal/help.ts";
import { type Check, checkLines } from "../../terminal/check.ts";

/** The whole report of `doctor`. */
export interface DoctorReport {
  readonly version: string;
  readonly checks: readonly Check[];
  readonly clients: readonly ClientSettings[];
}

/** The report as text for a terminal. */
export function doctorText({ checks, clients }: DoctorReport, colours: Colours): string {
  const names = wrapped(clients.map(({ client }) => client).join(", "), WIDTH);
  const common = clients.filter(({ client }) => client === COMMON).map(({ text }) => indented(text));
  return [
    ...checkLines(checks, colours),
    "",
    colours.bold("Settings for your client"),
    "",
    "ahma_mcp init --client NAME writes them, and asks before it changes a file of yours. NAME is",
    ...names.map((line) => `  ${line}`),
    "",
    "docs/clients.md shows each, and where the client keeps its log. Most have this form:",
    "",
    ...common,
    "",
  ].join("\n");
}

/** The client whose entry most others take too. */
const COMMON: ClientName = "claude";
/** Longest line of names. */
const WIDTH = 90;

function indented(text: string): string {
  return text.trimEnd().split("\n").map((line) => `  ${line}`).join("\n");
}
