/** Extended attributes of files, which the runtime has no call for: asked of the C library. */

const CAPACITY = 4096;

const SYMBOLS = {
  llistxattr: { parameters: ["buffer", "buffer", "usize"], result: "isize" },
  lgetxattr: { parameters: ["buffer", "buffer", "buffer", "usize"], result: "isize" },
} as const;

export class ExtendedAttributes implements Disposable {
  readonly #library = Deno.dlopen("libc.so.6", SYMBOLS);
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();

  /** Name to value; empty where there are none or the file system knows none. */
  of(path: string): Readonly<Record<string, string>> {
    const file = this.#encoder.encode(`${path}\0`);
    const names = new Uint8Array(CAPACITY);
    const length = Number(this.#library.symbols.llistxattr(file, names, BigInt(CAPACITY)));
    if (length <= 0) return {};
    const found = this.#decoder.decode(names.subarray(0, length)).split("\0").filter((name) => name !== "");
    return Object.fromEntries(found.map((name) => [name, this.#valueOf(file, name)]));
  }

  [Symbol.dispose](): void {
    this.#library.close();
  }

  #valueOf(file: Uint8Array<ArrayBuffer>, name: string): string {
    const value = new Uint8Array(CAPACITY);
    const key = this.#encoder.encode(`${name}\0`);
    const length = Number(this.#library.symbols.lgetxattr(file, key, value, BigInt(CAPACITY)));
    return this.#decoder.decode(value.subarray(0, Math.max(0, length)));
  }
}
