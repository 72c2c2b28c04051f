import type { Colours } from "../../terminal/colours.ts";
import type { ClientSettings } from "../clients/client_settings.ts";
import type { ClientName } from "../../../settings/flags/client_names.ts";
import { wrapped } from "../../terminal/help.ts";
import type { Check, CheckStatus } from "./check.ts";

/** The whole report of `doctor`. */
export interface DoctorReport {
  readonly version: string;
  readonly checks: readonly Check[];
  readonly clients: readonly ClientSettings[];
}

const MARKS: Readonly<Record<CheckStatus, string>> = { ok: "ok", warning: "!", failed: "FAILED" };

/** The report as text for a terminal. */
export function doctorText({ checks, clients }: DoctorReport, colours: Colours): string {
  const paint: Readonly<Record<CheckStatus, (text: string) => string>> = {
    ok: colours.green,
    warning: colours.yellow,
    failed: colours.red,
  };
  const column = Math.max(...checks.map(({ title }) => title.length)) + 2;
  const lines = checks.map(({ status, title, message }) => {
    const text = message.split("\n").join(`\n${" ".repeat(column + 8)}`);
    return `${paint[status](MARKS[status].padEnd(8))}${title.padEnd(column)}${text}`;
  });
  const names = wrapped(clients.map(({ client }) => client).join(", "), WIDTH);
  const common = clients.filter(({ client }) => client === COMMON).map(({ text }) => indented(text));
  return [
    ...lines,
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
