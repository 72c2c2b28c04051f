/** The current text of an indexed file. */
import { UserError } from "../../base/errors.ts";
import { MOST_SOURCE_BYTES, textOf } from "../outline/read_source.ts";
import type { Project } from "../project/project.ts";
import { revOf } from "../project/rev.ts";

/** Its text and fingerprint; undefined: it is gone, or no text any more. */
export async function fileTextOf(
  project: Project,
  path: string,
): Promise<{ readonly text: string; readonly rev: string } | undefined> {
  try {
    using file = await project.open(path);
    const size = Number(file.stat.size);
    if (size > MOST_SOURCE_BYTES) return undefined;
    const buffer = new Uint8Array(size);
    const bytes = buffer.subarray(0, file.readAt(buffer, 0));
    const text = textOf(bytes);
    return text.ok ? { text: text.value, rev: await revOf(bytes) } : undefined;
  } catch (thrown) {
    if (thrown instanceof UserError) return undefined;
    throw thrown;
  }
}
