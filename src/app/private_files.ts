import type { PrivateFile } from "../service/service.ts";

/**
 * Writes `text` to a new file that a command may read, and no other user (T7).
 *
 * @param directory the session's own, readable in the sandbox and not writable there
 */
export async function writePrivateFile(directory: string, text: string): Promise<PrivateFile> {
  const path = `${directory}/${crypto.randomUUID()}`;
  await Deno.writeTextFile(path, text, { createNew: true, mode: 0o600 });
  return { path, remove: () => Deno.remove(path) };
}
