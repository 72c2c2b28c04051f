import type { Colours } from "../../terminal/colours.ts";
import type { ClientSettings } from "../init/client_settings.ts";
import type { Check, CheckStatus } from "./check.ts";

/** The whole report of `doctor`. */
export interface DoctorReport {
  readonly version: string;
  readonly checks: readonly Check[];
  readonly clients: readonly ClientSettings[];
}

const MARKS: Readonly<Record<CheckStatus, string>> = { ok: "ok", warning: "!", failed: "FAILED" };

const MORE = "docs/clients.md has more clients, and where each keeps its log.";

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
  const settings = clients.map(({ title, file, text }) => `${colours.bold(title)}, ${file}:\n\n${indented(text)}`);
  return `${lines.join("\n")}\n\n${colours.bold("Settings for your client")}\n\n${settings.join("\n\n")}\n\n${MORE}\n`;
}

function indented(text: string): string {
  return text.trimEnd().split("\n").map((line) => `  ${line}`).join("\n");
}
