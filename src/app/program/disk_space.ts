/** The error when the session's private directories cannot be written (S5), usually because the disk is full. */
import { messageOf } from "../../base/errors.ts";
import { failure, type Outcome } from "../../base/outcome.ts";

/** Errors about the file system, not about this program. */
const NO_ROOM: readonly unknown[] = ["ENOSPC", "EDQUOT", "EROFS", "EMLINK"];

/** The result of `prepare`; if the disk is full, an error that says so and names the way out. */
export function withRoom<Value>(prepare: () => Outcome<Value>): Outcome<Value> {
  try {
    return prepare();
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && NO_ROOM.includes(thrown.code))) throw thrown;
    return failure(
      `Cannot create the private directory of the session: ${messageOf(thrown)}.\n` +
        "Free space there, or set TMPDIR to a directory on another file system",
    );
  }
}
