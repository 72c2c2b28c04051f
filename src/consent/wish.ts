/** A command's wish for what it was denied, and its outcome (S35). */
import type { GrantAnswer } from "../base/command/grant_answer.ts";
import type { GrantSubject } from "../base/command/grant_subject.ts";
import type { Person } from "../base/command/person.ts";
import { type Asker, wishText } from "./form.ts";

export interface Wish extends Asked {
  readonly subject: GrantSubject;
}

/** What all wishes of one command have. */
export interface Asked {
  readonly by: Asker;
  /** The same object for all wishes of one command: *this time* holds for it. */
  readonly run: object;
  /** Undefined: its call has none. */
  readonly person: Person | undefined;
  /** Called when the command waits for an answer in a form. */
  readonly onForm: (subject: GrantSubject) => void;
}

export type Decision =
  | { readonly allowed: true; readonly answer: Exclude<GrantAnswer, "no"> }
  | {
    readonly allowed: false;
    /** Follows the denied subject in a sentence; absent: no person was asked, and the result has the usual text. */
    readonly reason?: string;
    /** True: a person said no. */
    readonly isFinal?: true;
    /** The question that a person can answer in a terminal; absent: there is none. */
    readonly question?: string;
  };

interface AskingCommand {
  readonly run: { readonly argv: readonly string[] } | { readonly shell: string };
  readonly operation?: { readonly id: string; readonly tool: string };
}

/** What all wishes of a command share, by the object `run`; undefined: it belongs to no operation and asks nothing. */
export function wishesOf(
  run: object,
  { run: words, operation }: AskingCommand,
  { person, say }: { readonly person?: Person | undefined; readonly say?: ((line: string) => void) | undefined },
): Asked | undefined {
  if (operation === undefined) return undefined;
  const command = "shell" in words ? words.shell : words.argv.join(" ");
  const said = new Set<string>();
  return {
    by: { command, tool: operation.tool, operation: operation.id },
    run,
    person,
    // Reported once for each question, so that results and progress show why the command waits.
    onForm: (subject) => {
      const wish = wishText(subject);
      if (!said.has(wish)) say?.(`[a person is asked: ${wish}?]`);
      said.add(wish);
    },
  };
}
