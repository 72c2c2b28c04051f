/** What a person may be asked to allow beyond what the server was started with (S35). */

/** A kind of question, as `--ask` names it. `protected`: a protected path inside the scope. */
export type AskKind = "read" | "write" | "network" | "protected";

export const ASK_KINDS = ["read", "write", "network", "protected"] as const satisfies readonly AskKind[];

/** A host and port that commands may connect to. */
export interface HostSubject {
  readonly kind: "network";
  /** In small letters. */
  readonly host: string;
  readonly port: number;
}

/** A path with one access; a directory with all that it holds. */
export interface PathSubject {
  readonly kind: "read" | "write" | "protected";
  /** Canonical and absolute. */
  readonly path: string;
  /** What was there when the person was asked: nothing else at that path is meant (S20). Absent: what is there now. */
  readonly identity?: PathIdentity;
}

export interface PathIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

export type PinnedSubject = PathSubject & { readonly identity: PathIdentity };

/** The one thing that a question is about, and that a grant opens. */
export type GrantSubject = HostSubject | PathSubject;

/** Equal for equal subjects only. */
export function subjectKey(subject: GrantSubject): string {
  return subject.kind === "network" ? `network ${subject.host}:${subject.port}` : `${subject.kind} ${subject.path}`;
}

/** The same for what is pinned: another thing at the same path is another subject. */
export function pinKey(subject: PinnedSubject): string {
  return `${subjectKey(subject)} ${subject.identity.device}:${subject.identity.inode}`;
}
