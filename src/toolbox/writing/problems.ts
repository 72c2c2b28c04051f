/** What the system's refusals mean, in messages. */
import { UserError } from "../../base/errors.ts";
import type { WorkerSetup } from "../frame/messages.ts";
import type { Place } from "../../system/tree/tree.ts";
import { deniedChange } from "../project/protection.ts";
import { EACCES, EBUSY, EDQUOT, ENOSPC, ENOTDIR, EPERM, EROFS } from "../../system/syscalls.ts";

const MEANINGS: Readonly<Record<number, string>> = {
  [EPERM]: "its permissions, or those of its directory, keep it from being changed",
  [EACCES]: "its permissions, or those of its directory, keep it from being changed",
  [ENOSPC]: "the disk is full",
  [EDQUOT]: "the disk quota is used up",
  [ENOTDIR]: "a directory on the way is a file",
};

/** The error for a refused step: what the sandbox mounts read-only, or replaces by a mount, is protected. */
export function problemOf(
  what: string,
  errno: number,
  { place, setup }: { readonly place: Place; readonly setup: Pick<WorkerSetup, "scopes"> },
): UserError {
  if (errno === EROFS || errno === EBUSY) return deniedChange(place, setup);
  return new UserError(`${what}: ${MEANINGS[errno] ?? `the system refuses it (errno ${errno})`}`);
}
