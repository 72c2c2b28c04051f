/** Where a demonstration is shown: coloured on a terminal, plain in a pipe or with NO_COLOR. */
export class Screen {
  readonly #colour: boolean;
  readonly #write: (text: string) => void;

  constructor(options: { readonly colour: boolean; readonly write: (text: string) => void }) {
    this.#colour = options.colour;
    this.#write = options.write;
  }

  /** The first line. */
  title(name: string, subtitle: string): void {
    this.#line("");
    this.#line(`  ${this.#paint("1;36", name)}  ${this.#paint("2", subtitle)}`);
  }

  /** The head of a step. */
  step(number: number, text: string): void {
    this.#line("");
    this.#line(`  ${this.#paint("1;36", String(number))}  ${this.#paint("1", text)}`);
  }

  /** What the client sends. */
  asks(text: string): void {
    this.#line(`     ${this.#paint("36", "→")} ${text}`);
  }

  /** What comes back or happens meanwhile. */
  shows(text: string): void {
    for (const line of text.trimEnd().split("\n")) this.#line(`     ${this.#paint("2", "│")} ${line}`);
  }

  /** Live output, with the time since the call. */
  live(milliseconds: number, text: string): void {
    const clock = `${(milliseconds / 1000).toFixed(1)} s`.padStart(6);
    for (const line of text.trimEnd().split("\n")) this.#line(`     ${this.#paint("2", `│ ${clock}`)}  ${line}`);
  }

  /** What was checked and holds. */
  good(text: string): void {
    this.#line(`     ${this.#paint("32", "✓")} ${text}`);
  }

  /** What was expected and did not happen. */
  bad(text: string): void {
    const [first = "", ...rest] = text.split("\n");
    this.#line(`     ${this.#paint("1;31", "✗")} ${this.#paint("31", first)}`);
    for (const line of rest) this.#line(`       ${line}`);
  }

  /** The last lines. */
  end(text: string, { good }: { readonly good: boolean }): void {
    this.#line("");
    this.#line(`  ${this.#paint(good ? "1;32" : "1;31", text)}`);
    this.#line("");
  }

  #line(text: string): void {
    this.#write(`${text}\n`);
  }

  #paint(code: string, text: string): string {
    return this.#colour ? `\x1b[${code}m${text}\x1b[0m` : text;
  }
}
