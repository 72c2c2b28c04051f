/** The last contents that calls have seen, to show what another program changed since. */

/** This many hexadecimal digits of the SHA-256 distinguish two contents of a file. */
const REV_DIGITS = 12;

/** The fingerprint of a content; a later call uses it to notice changes. */
export async function revOf(content: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", content);
  return new Uint8Array(digest).toHex().slice(0, REV_DIGITS);
}

/** Of all together. */
const MOST_BYTES = 8 * 1024 * 1024;
/** A longer one is not kept. */
const LONGEST_BYTES = MOST_BYTES / 4;

export class SeenContents {
  /** Contents by rev, the most recent last. */
  readonly #contents = new Map<string, Uint8Array<ArrayBuffer>>();
  #bytes = 0;

  /** Keeps a content, which must not be modified afterwards, and drops the oldest ones. */
  keep(rev: string, content: Uint8Array<ArrayBuffer>): void {
    if (content.length > LONGEST_BYTES) return;
    this.#drop(rev);
    this.#contents.set(rev, content);
    this.#bytes += content.length;
    for (const oldest of this.#contents.keys()) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#drop(oldest);
    }
  }

  /** The content of a rev; undefined: it is unknown or was dropped. */
  of(rev: string): Uint8Array<ArrayBuffer> | undefined {
    return this.#contents.get(rev);
  }

  #drop(rev: string): void {
    this.#bytes -= this.#contents.get(rev)?.length ?? 0;
    this.#contents.delete(rev);
  }
}
