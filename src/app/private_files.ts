import type { PrivateFile } from "../service/service.ts";

/** Texts that a command may read, and no other user: files in the session's directory that only the server writes (T7). */
export class PrivateFiles {
  readonly #directory: string;

  /** `directory`: the session's own, readable in the sandbox and not writable there. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes `text` to a new file. */
  async write(text: string): Promise<PrivateFile> {
    const path = `${this.#directory}/${crypto.randomUUID()}`;
    await Deno.writeTextFile(path, text, { createNew: true, mode: 0o600 });
    return { path, remove: () => Deno.remove(path) };
  }
}
