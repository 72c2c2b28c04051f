/** What a person may be asked to allow beyond what the server was started with (S35). */

/** A kind of question, as `--ask` names it. `protected`: a protected path inside the scope; `ssh`: a login with a key. */
export type AskKind = "read" | "write" | "network" | "protected" | "ssh";

export const ASK_KINDS = ["read", "write", "network", "protected", "ssh"] as const satisfies readonly AskKind[];

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
  /** The file that was there when the person was asked: the grant covers no other (S20). Absent: the file there now. */
  readonly identity?: PathIdentity;
}

export interface PathIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

export type PinnedSubject = PathSubject & { readonly identity: PathIdentity };

/** An account of a host, where a key of the user's ssh agent may log in (S42). */
export interface LoginSubject {
  readonly kind: "ssh";
  /** The fingerprint of the host's key, which the host proved. */
  readonly hostKey: string;
  readonly account: string;
  /** The fingerprint of the key that signs. */
  readonly key: string;
  /** What the user's known hosts call the host, for people; empty: no name can be read there. */
  readonly name: string;
  /** Of the key that signs, for people. */
  readonly comment: string;
}

/** Accounts that a question may name: others could be mistaken for our own words. */
export const ASKED_ACCOUNT = /^[\w.@\\+$-]{1,60}$/;

/** What a question is about, and what a grant opens. */
export type GrantSubject = HostSubject | PathSubject | LoginSubject;

export function isPathKind(kind: AskKind): kind is PathSubject["kind"] {
  return kind !== "network" && kind !== "ssh";
}

/** Equal for equal subjects only. */
export function subjectKey(subject: GrantSubject): string {
  if (subject.kind === "network") return `network ${subject.host}:${subject.port}`;
  if (subject.kind === "ssh") return `ssh ${subject.key} ${subject.hostKey} ${subject.account}`;
  return `${subject.kind} ${subject.path}`;
}

/** As above, for pinned subjects: another file at the same path is another subject. */
export function pinKey(subject: PinnedSubject): string {
  return `${subjectKey(subject)} ${subject.identity.device}:${subject.identity.inode}`;
}
