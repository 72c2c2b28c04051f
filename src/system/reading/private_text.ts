import { messageOf } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";

/** The text of a file that belongs to this user alone; the problem says why it is not read, to follow a colon. */
export async function readPrivateText(path: string, mostBytes: number): Promise<Outcome<string>> {
  try {
    // Opening a pipe would wait for a writer.
    if (!(await Deno.stat(path)).isFile) return failure("it is not a file");
    using file = await Deno.open(path);
    const { isFile, uid, mode, size } = await file.stat();
    if (!isFile) return failure("it is not a file");
    if (uid !== Deno.uid()) return failure("it belongs to another user");
    if (((mode ?? 0) & 0o077) !== 0) return failure("other users can read it (chmod 600)");
    if (size > mostBytes) return failure("it is too large");
    return success(await new Response(file.readable).text());
  } catch (thrown) {
    return failure(messageOf(thrown));
  }
}
