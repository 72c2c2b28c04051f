/** Reads a Seatbelt profile for tests: S-expressions with names, strings and `#"..."` regular expressions. Strict. */

export type Expression = NameWord | TextWord | RegexWord | readonly Expression[];

export interface NameWord {
  readonly kind: "name";
  readonly name: string;
}
export interface TextWord {
  readonly kind: "text";
  readonly text: string;
}
export interface RegexWord {
  readonly kind: "regex";
  readonly source: string;
}

const NAME = /[A-Za-z0-9_*-]+/y;
const TEXT = /"((?:[^"\\\n]|\\["\\])*)"/y;
const REGEX = /#"([^"\n]*)"/y;

/** The statements, one a line. @throws {SyntaxError} For anything else than one whole list on each line. */
export function readProfile(profile: string): readonly (readonly Expression[])[] {
  if (!profile.endsWith("\n")) throw new SyntaxError("The profile does not end with a line feed");
  return profile.slice(0, -1).split("\n").map((line) => {
    const reader = new LineReader(line);
    const statement = reader.expression();
    if (!reader.atEnd) throw new SyntaxError(`More than one statement: ${line}`);
    if (!isList(statement)) throw new SyntaxError(`Not a list: ${line}`);
    return statement;
  });
}

export function isList(expression: Expression | undefined): expression is readonly Expression[] {
  return Array.isArray(expression);
}

class LineReader {
  readonly #line: string;
  #at = 0;

  constructor(line: string) {
    this.#line = line;
  }

  get atEnd(): boolean {
    return this.#at === this.#line.length;
  }

  expression(): Expression {
    if (this.#line[this.#at] === "(") return this.#list();
    const regex = this.#take(REGEX);
    if (regex !== undefined) return { kind: "regex", source: regex[1] ?? "" };
    const text = this.#take(TEXT);
    if (text !== undefined) return { kind: "text", text: (text[1] ?? "").replace(/\\(.)/g, "$1") };
    const name = this.#take(NAME);
    if (name !== undefined) return { kind: "name", name: name[0] };
    throw new SyntaxError(`Unexpected ${JSON.stringify(this.#line.slice(this.#at))} in ${this.#line}`);
  }

  #list(): readonly Expression[] {
    const items: Expression[] = [];
    this.#at++;
    while (this.#line[this.#at] !== ")") {
      if (items.length > 0 && this.#line[this.#at++] !== " ") throw new SyntaxError(`No space in ${this.#line}`);
      items.push(this.expression());
    }
    this.#at++;
    return items;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#line) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}
