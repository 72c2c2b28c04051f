/** What a person answers to a question about a grant (S35). */

/** `once`: for the command that asks; `session`: until the server ends; `project`: kept in a file of the user's. */
export type GrantAnswer = "once" | "session" | "project" | "no";

export const GRANT_ANSWERS = ["once", "session", "project", "no"] as const satisfies readonly GrantAnswer[];

/** A question that waits for its answer, as a terminal or page shows it. */
export interface WaitingQuestion {
  /** `q_` and six hexadecimal digits, which no other question of the user's servers is likely to have. */
  readonly id: string;
  /** One line in our own words, safe to print. */
  readonly text: string;
  readonly answers: readonly GrantAnswer[];
  /** Milliseconds since the epoch. */
  readonly asked: number;
}

/** What a person allowed until the server ends. */
export interface SessionGrant {
  /** The id of its question. */
  readonly id: string;
  /** What it allows, in our own words, safe to print. */
  readonly text: string;
}

/** The questions and grants of a server, for a person who answers outside the client. */
export interface WaitingQuestions {
  list(): readonly WaitingQuestion[];
  /** Why it cannot be answered; undefined: it is answered. */
  answer(id: string, answer: GrantAnswer): string | undefined;
  /** In the order in which it was granted. */
  sessionGrants(): readonly SessionGrant[];
  /** Calls the listener when a question begins or is answered, or a grant is made or revoked. */
  subscribe(listener: () => void): () => void;
  /** Revokes a grant of the session. Returns why it cannot be revoked; undefined: it is revoked. */
  takeBack(id: string): Promise<string | undefined>;
}
