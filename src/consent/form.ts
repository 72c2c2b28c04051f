/** The question to a person, and the words of the answers (S35). Pure: our own words, with names escaped. */
import type { GrantAnswer } from "../base/command/grant_answer.ts";
import type { GrantSubject } from "../base/command/grant_subject.ts";
import { shorten, writtenOut } from "../base/visible_text.ts";

/** The command that met a denial. */
export interface Asker {
  /** The command line as the agent wrote it. */
  readonly command: string;
  readonly tool: string;
  readonly operation: string;
}

/** A longer command would push the question out of sight. */
const LONGEST_COMMAND = 60;
const LONGEST_SUBJECT = 300;
const LONGEST_NAME = 100;

/** The answers, in the order in which they are offered, as a person reads them. */
export const ANSWER_TEXTS: Readonly<Record<GrantAnswer, string>> = {
  once: "this time",
  session: "this session",
  project: "always for this project",
  no: "no",
};

/** The answer that a text stands for; undefined: none. */
export function answerOf(text: string): GrantAnswer | undefined {
  return (Object.keys(ANSWER_TEXTS) as GrantAnswer[]).find((answer) => ANSWER_TEXTS[answer] === text);
}

/** The question in one line. */
export function questionText(subject: GrantSubject, { command, tool, operation }: Asker): string {
  const words = shorten(writtenOut(command).replaceAll("`", "'"), LONGEST_COMMAND);
  return `\`${words}\` wants to ${wishText(subject)} (tool ${shorten(tool, LONGEST_COMMAND)}, operation ${operation})`;
}

/** The wish, after "to": a path, host or login, whose names may have any length and characters. */
export function wishText(subject: GrantSubject): string {
  if (subject.kind === "network") {
    return `connect to ${shorten(writtenOut(subject.host), LONGEST_SUBJECT)}:${subject.port}`;
  }
  if (subject.kind === "ssh") {
    const { account, hostKey, key } = subject;
    const [name, comment] = [subject.name, subject.comment].map((one) =>
      shorten(writtenOut(one).replaceAll("`", "'"), LONGEST_NAME)
    );
    const host = name === "" ? "a host whose name your known_hosts hide" : name;
    return `log in as ${account} at ${host}, which proved host key ${hostKey}, with your ssh key "${comment}" (${key})`;
  }
  const path = JSON.stringify(writtenOut(subject.path));
  const shown = path.length <= LONGEST_SUBJECT
    ? path
    : `${path.slice(0, LONGEST_SUBJECT / 2)}…${path.slice(-LONGEST_SUBJECT / 2)}`;
  return subject.kind === "protected"
    ? `change ${shown}, which is protected`
    : `${subject.kind === "read" ? "read" : "change"} ${shown}`;
}
