/** What a command wishes that it was denied, and what became of it (S35). */
import type { GrantAnswer } from "../base/command/grant_answer.ts";
import type { GrantSubject } from "../base/command/grant_subject.ts";
import type { Person } from "../base/command/person.ts";
import type { Asker } from "./form.ts";

export interface Wish {
  readonly subject: GrantSubject;
  readonly by: Asker;
  /** The same object for all that one command wishes: *this time* holds for it. */
  readonly run: object;
  /** Undefined: its call has none. */
  readonly person: Person | undefined;
  /** Hears that the command waits for an answer in a form. */
  readonly onForm: (subject: GrantSubject) => void;
}

export type Decision =
  | { readonly allowed: true; readonly answer: Exclude<GrantAnswer, "no"> }
  | {
    readonly allowed: false;
    /** To follow what was denied; absent: nothing was asked, and what holds without questions is to be said. */
    readonly reason?: string;
    /** True: a person said no. */
    readonly isFinal?: true;
    /** The question that a person can answer in a terminal; absent: there is none. */
    readonly question?: string;
  };
