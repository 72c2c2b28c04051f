/** Where the body of a request ends, so that nothing after it is passed on. Read strictly, as servers differ. Pure. */

/** Bytes, or `chunked`: parts with their lengths (RFC 9112, 7.1). */
export type BodyLength = number | "chunked";

const LINE_END = "\r\n";
const SIZE = /^([0-9A-Fa-f]{1,8})\r\n$/;
/** A line that can become one. */
const SIZE_SO_FAR = /^[0-9A-Fa-f]{1,8}\r?$/;

export class RequestBody {
  /** Bytes until the next line. */
  #left: number;
  /** The line that is read. */
  #line = "";
  /** What it is: the length of a part, the end of a part, the end of all; undefined: no line is left. */
  #expected: "size" | "part" | "all" | undefined;

  constructor(length: BodyLength) {
    this.#left = length === "chunked" ? 0 : length;
    this.#expected = length === "chunked" ? "size" : undefined;
  }

  /** How many of these bytes, which follow those before, are of the body; undefined: it is not one that all servers read alike. */
  take(bytes: Uint8Array): number | undefined {
    for (let at = 0;;) {
      const count = Math.min(this.#left, bytes.length - at);
      this.#left -= count;
      at += count;
      const byte = bytes[at];
      if (byte === undefined || this.#expected === undefined) return at;
      if (!this.#read(byte)) return undefined;
      at++;
    }
  }

  /** False: no line can begin like this. Extensions and trailers are refused too: clients send none. */
  #read(byte: number): boolean {
    const line = this.#line + String.fromCharCode(byte);
    this.#line = line.endsWith("\n") ? "" : line;
    if (this.#expected !== "size") {
      if (line === LINE_END) this.#expected = this.#expected === "all" ? undefined : "size";
      return LINE_END.startsWith(line);
    }
    if (this.#line !== "") return SIZE_SO_FAR.test(line);
    const size = SIZE.exec(line)?.[1];
    this.#left = Number.parseInt(size ?? "0", 16);
    this.#expected = this.#left > 0 ? "part" : "all";
    return size !== undefined;
  }
}
