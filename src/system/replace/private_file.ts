import { undefinedFor } from "../../base/errors.ts";
import { encodeText } from "../../base/text.ts";
import { writeAll } from "../../base/write_all.ts";
import { parentOf } from "../paths.ts";

/**
 * Writes a file that only this user can read (0600) atomically: a reader sees the old text or the new one. Its
 * directory is created (0700). Commands must not have write access there, because links on the path are followed.
 *
 * @param place gives the written file its name; absent: it replaces an existing file. `Deno.link` refuses a taken name
 * @param isSynced whether the text is on the disk before it has its name; absent: it need not survive a crash
 * @throws {Error} when the system refuses; the old file is kept, and no draft is left
 */
export async function writePrivately(
  path: string,
  text: string,
  { place = Deno.rename, isSynced = false }: {
    readonly place?: (written: string, path: string) => Promise<void>;
    readonly isSynced?: boolean;
  } = {},
): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}`;
  await Deno.mkdir(parentOf(path), { recursive: true, mode: 0o700 });
  try {
    using file = await Deno.open(draft, { write: true, createNew: true, mode: 0o600 });
    await writeAll(file, encodeText(text));
    if (isSynced) await file.sync();
    await place(draft, path);
  } finally {
    await Deno.remove(draft).catch(undefinedFor(Error));
  }
}

/** Whether it belongs to this user, and no other user can do anything with it. */
export function isPrivate({ uid, mode }: Pick<Deno.FileInfo, "uid" | "mode">): boolean {
  return uid === Deno.uid() && ((mode ?? 0) & 0o077) === 0;
}
