/** Grants and waiting questions as lines and as JSON. Pure. */
import { shorten, writtenOut } from "../../../base/visible_text.ts";
import { wishText } from "../../../consent/form.ts";
import type { KeptGrant } from "../../../consent/kept/kept_grant.ts";
import type { FoundServer } from "../../../control/client/running_servers.ts";
import type { WaitingQuestion } from "../../../base/command/grant_answer.ts";

const DAY_MS = 86_400_000;
const LONGEST_PATH = 200;
const LONGEST_QUESTION = 600;

/** A question with the server that waits for the answer. */
export interface AskedQuestion extends WaitingQuestion {
  readonly found: FoundServer;
}

/** The questions of all servers, the oldest first. */
export function questionsOf(servers: readonly FoundServer[]): readonly AskedQuestion[] {
  return servers.flatMap((found) => (found.server.questions ?? []).map((question) => ({ ...question, found })))
    .toSorted((one, other) => one.asked - other.asked);
}

/** A line a grant, the last used first. `now`: milliseconds since 1970. */
export function grantLines(grants: readonly KeptGrant[], now: number): string {
  if (grants.length === 0) return "Nothing is allowed for good\n";
  const rows = grants.toSorted((one, other) => other.used - one.used).map((grant) => [
    grant.id,
    `since ${dayOf(grant.granted)}`,
    usedText(now - grant.used),
    `${wishText(grant.subject)}, in ${placesOf(grant).join(" and ")}`,
  ]);
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) => `${row.slice(0, -1).map((cell, at) => cell.padEnd(width(at))).join("  ")}  ${row.at(-1)}\n`)
    .join("");
}

/** What waits, and how it is answered; empty: nothing waits. `now`: milliseconds since 1970. */
export function questionLines(questions: readonly AskedQuestion[], now: number): string {
  if (questions.length === 0) return "";
  const lines = questions.map(({ id, text, answers, asked, found }) => {
    const seconds = Math.max(0, Math.round((now - asked) / 1000));
    const place = shorten(found.server.scopes[0] ?? "", LONGEST_PATH);
    return `${id}  ${shorten(text, LONGEST_QUESTION)}, in ${place}, for ${seconds} s\n` +
      `    ahma_mcp grants allow ${id} ${answers.filter((one) => one !== "no").join("|")}, or deny ${id}\n`;
  });
  return `Questions that wait for you:\n${lines.join("")}`;
}

/** The same for programs. */
export function grantsAsJson(grants: readonly KeptGrant[], questions: readonly AskedQuestion[]): string {
  const shown = {
    grants: grants.map(({ id, subject, project, granted, used }) => ({
      id,
      ...subject,
      project: project.map(({ path }) => path),
      granted: new Date(granted).toISOString(),
      used: new Date(used).toISOString(),
    })),
    questions: questions.map(({ id, text, answers, asked, found: { server: { pid, scopes } } }) => ({
      id,
      text,
      answers,
      asked: new Date(asked).toISOString(),
      server: { pid, scopes },
    })),
  };
  return `${JSON.stringify(shown, null, 2)}\n`;
}

function placesOf({ project }: KeptGrant): readonly string[] {
  return project.map(({ path }) => shorten(JSON.stringify(writtenOut(path)), LONGEST_PATH));
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function usedText(ago: number): string {
  const days = Math.max(0, Math.floor(ago / DAY_MS));
  return `used ${days === 0 ? "today" : days === 1 ? "yesterday" : `${days} days ago`}`;
}
