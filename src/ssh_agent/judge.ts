/** Whether a signature may be made, as far as the request and its connection say (S42). Pure. */
import { sameBytes } from "../base/bytes.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import type { SignRequest } from "./wire/messages.ts";
import { keyKind } from "./wire/public_key.ts";
import { readSignedData } from "./wire/signed_data.ts";

/** What a connection said about its host, with the proof. */
export type Bound =
  | { readonly kind: "none" }
  | { readonly kind: "host"; readonly hostKey: Uint8Array; readonly sessionId: Uint8Array }
  /** It signs nothing more; `reason`: why, a sentence without the full stop. */
  | { readonly kind: "closed"; readonly reason: string };

/** What a signature is for. */
export type Purpose =
  | { readonly kind: "login"; readonly hostKey: Uint8Array; readonly user: string }
  | { readonly kind: "git" };

/** The flag that requests each algorithm. No flag requests SHA-1. */
const RSA_FLAGS: Readonly<Record<string, number>> = { "rsa-sha2-256": 2, "rsa-sha2-512": 4 };
const GIT = "git";

/** The purpose; the problem is a sentence without its end. */
export function judge({ key, data, flags }: SignRequest, bound: Bound): Outcome<Purpose> {
  if (bound.kind === "closed") return failure(bound.reason);
  const read = readSignedData(data);
  if (read === undefined) {
    return failure("A command asked to sign data that is neither a login of ssh nor a signature of git");
  }
  if (read.kind === "file") {
    if (read.namespace !== GIT) return failure("A command asked to sign a file that is not for git");
    return isFlagOf(key, flags) ? success({ kind: "git" }) : failure(OLD_ALGORITHM);
  }
  const { sessionId, algorithm, user, hostKey } = read;
  if (bound.kind === "none") {
    return failure("A program wants to log in with ssh and does not prove at which host (OpenSSH does so since 8.9)");
  }
  if (!sameBytes(sessionId, bound.sessionId)) return failure("A login of ssh is for another session than it proved");
  if (!sameBytes(read.key, key) || hostKey !== undefined && !sameBytes(hostKey, bound.hostKey)) {
    return failure("A login of ssh names another key than it is signed with, or another host than it proved");
  }
  const isFitting = keyKind(key) === "ssh-rsa" ? RSA_FLAGS[algorithm] === flags : algorithm === keyKind(key);
  if (!isFitting || !isFlagOf(key, flags)) return failure(OLD_ALGORITHM);
  return success({ kind: "login", hostKey: bound.hostKey, user });
}

const OLD_ALGORITHM = "A signature is asked for by an algorithm that is not the key's, or with SHA-1";

function isFlagOf(key: Uint8Array, flags: number): boolean {
  return keyKind(key) === "ssh-rsa" ? Object.values(RSA_FLAGS).includes(flags) : flags === 0;
}
