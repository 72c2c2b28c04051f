/** Grants and waiting questions as lines and as JSON. Pure. */
import { shorten, writtenOut } from "../../../base/visible_text.ts";
import { wishText } from "../../../consent/form.ts";
import type { KeptGrant } from "../../../consent/kept/kept_grant.ts";
import type { FoundServer } from "../../../control/client/running_servers.ts";
import { daysText } from "../../terminal/columns.ts";
import type { SessionGrant, WaitingQuestion } from "../../../base/command/grant_answer.ts";

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

/** What a server was allowed until it ends. */
export interface FoundGrant extends SessionGrant {
  readonly found: FoundServer;
}

/** The grants of the sessions of all servers. */
export function sessionGrantsOf(servers: readonly FoundServer[]): readonly FoundGrant[] {
  return servers.flatMap((found) => (found.server.granted ?? []).map((grant) => ({ ...grant, found })));
}

/** A line a grant, the last used first, then those of sessions. `now`: milliseconds since 1970. */
export function grantLines(grants: readonly KeptGrant[], ofSessions: readonly FoundGrant[], now: number): string {
  const kept = grants.toSorted((one, other) => other.used - one.used).map((grant) => [
    grant.id,
    `since ${new Date(grant.granted).toISOString().slice(0, 10)}`,
    `used ${daysText(now - grant.used)}`,
    `${wishText(grant.subject)}, in ${placesOf(grant.project.map(({ path }) => path))}`,
  ]);
  const rows = [
    ...kept,
    ...ofSessions.map(({ id, text, found: { server } }) => [
      id,
      "this session",
      `of ${server.pid}`,
      `${shorten(text, LONGEST_QUESTION)}, in ${placesOf(server.scopes)}`,
    ]),
  ];
  if (rows.length === 0) return "Nothing is allowed\n";
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) => `${row.slice(0, -1).map((cell, at) => cell.padEnd(width(at))).join("  ")}  ${row.at(-1)}\n`)
    .join("");
}

/** What waits, and how it is answered; empty: nothing waits. `now`: milliseconds since 1970. */
export function questionLines(questions: readonly AskedQuestion[], now: number): string {
  if (questions.length === 0) return "";
  const lines = questions.map(({ id, text, answers, asked, found }) => {
    const seconds = Math.max(0, Math.round((now - asked) / 1000));
    return `${id}  ${shorten(text, LONGEST_QUESTION)}, in ${placesOf(found.server.scopes)}, for ${seconds} s\n` +
      `    ahma_mcp grants allow ${id} ${answers.filter((one) => one !== "no").join("|")}, or deny ${id}\n`;
  });
  return `Questions that wait for you:\n${lines.join("")}`;
}

/** The same for programs. */
export function grantsAsJson(
  grants: readonly KeptGrant[],
  ofSessions: readonly FoundGrant[],
  questions: readonly AskedQuestion[],
): string {
  const shown = {
    grants: grants.map(({ id, subject, project, granted, used }) => ({
      id,
      ...subject,
      project: project.map(({ path }) => path),
      granted: new Date(granted).toISOString(),
      used: new Date(used).toISOString(),
    })),
    sessions: ofSessions.map(({ id, text, found: { server: { pid, scopes } } }) => ({
      id,
      text,
      server: { pid, scopes },
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

function placesOf(scopes: readonly string[]): string {
  return scopes.map((path) => shorten(JSON.stringify(writtenOut(path)), LONGEST_PATH)).join(" and ");
}
