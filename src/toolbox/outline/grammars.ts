/** Tree-sitter grammars, unpacked from the worker's data when a file first needs them. */
import type { Parser, Query } from "web-tree-sitter";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { lazy } from "../../base/lazy.ts";
import { attempt, messageOf, UserError } from "../../base/errors.ts";
import type { Project } from "../project/project.ts";
import type { Language } from "./languages/languages.ts";
import { type FunctionFacts, functionFacts } from "./measure.ts";
import type { Definition } from "./symbols.ts";

/** The file of the tree-sitter engine in the worker's data; grammars lie next to it. */
export const ENGINE_FILE = "tree-sitter.br";

/** The file of a grammar. */
export function grammarFile(language: string): string {
  return `grammar-${language}.br`;
}

/** Time limit for parsing a source, milliseconds; a slower one is left out. */
const MOST_TIME = 3000;
/** Memory of the engine in pages of 64 KiB: 32 MiB at first, at most 512 MiB. */
const LEAST_PAGES = 512;
const MOST_PAGES = 8192;
/** A source that needs more memory than this is left out. */
const MUCH_BYTES = 256 * 1024 * 1024;
const TOO_MUCH = "too much to parse";
const BROKEN = "its parser failed";
const BROKEN_BEFORE = "not parsed, because the parser failed before; ask again";
const BODY = "body";
const DEFINITION = "def.";

interface Loaded {
  readonly parser: Parser;
  readonly query: Query;
}

type Engine = typeof import("web-tree-sitter");

/** The loaded grammars of a worker. */
export class Grammars {
  readonly #project: Pick<Project, "setup" | "spend">;
  readonly #memory = lazy(() => new WebAssembly.Memory({ initial: LEAST_PAGES, maximum: MOST_PAGES }));
  readonly #engine = lazy(() => this.#startEngine());
  #isBroken = false;
  readonly #loaded = new Map<string, Promise<Loaded>>();
  readonly #queries = new Map<string, Query>();

  constructor(project: Pick<Project, "setup" | "spend">) {
    this.#project = project;
  }

  /** The definitions in a source, within limits of time and memory. @throws {UserError} When the grammar is missing. */
  async definitions(language: Language, text: string): Promise<Outcome<readonly Definition[]>> {
    return await this.#ask(language, text, { use: definitionsIn });
  }

  /** Measures each function in a source. It fails and throws as `definitions` does. */
  async functions(language: Language, text: string): Promise<Outcome<readonly FunctionFacts[]>> {
    return await this.#ask(language, text, { use: functionsIn });
  }

  /** The start, in code units, of each node that a query captures. @throws {UserError} When it does not fit. */
  async captures(
    language: Language,
    text: string,
    { source, name }: { readonly source: string; readonly name: string },
  ): Promise<Outcome<readonly number[]>> {
    const query = await this.#queryOf(language, source);
    const use = (matches: Matches) =>
      matches.flatMap(({ captures }) => captures.filter((one) => one.name === name).map(({ node }) => node.startIndex));
    return await this.#ask(language, text, { use, query });
  }

  async #ask<Value>(language: Language, text: string, question: Question<Value>): Promise<Outcome<Value>> {
    if (this.#isBroken) return failure(BROKEN_BEFORE);
    const loaded = await this.#load(language);
    try {
      return this.#parse(loaded, text, question);
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      // After any error the engine's memory is not trustworthy.
      this.#isBroken = true;
      this.#project.spend();
      return failure(BROKEN);
    }
  }

  /** Whether a source has broken the engine; another worker must then replace this one. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  async #queryOf(language: Language, source: string): Promise<Query> {
    const { parser } = await this.#load(language);
    const { Query } = await this.#engine();
    const key = `${language.name} ${source}`;
    const known = this.#queries.get(key);
    if (known !== undefined) return known;
    try {
      if (parser.language === null) throw new Error("The grammar is gone");
      const query = new Query(parser.language, source);
      this.#queries.set(key, query);
      return query;
    } catch (thrown) {
      throw new UserError(`The query does not fit the grammar of ${language.name}: ${messageOf(thrown)}`);
    }
  }

  #parse<Value>(loaded: Loaded, text: string, { use, query = loaded.query }: Question<Value>): Outcome<Value> {
    const { parser } = loaded;
    const end = Date.now() + MOST_TIME;
    const held = this.#memory().buffer.byteLength;
    const isTooMuch = () => {
      const now = this.#memory().buffer.byteLength;
      return Date.now() > end || now > held && now > MUCH_BYTES;
    };
    const tree = parser.parse(text, null, { progressCallback: isTooMuch });
    if (tree === null) {
      parser.reset();
      return failure(TOO_MUCH);
    }
    try {
      const matches = query.matches(tree.rootNode, { progressCallback: isTooMuch });
      return isTooMuch() ? failure(TOO_MUCH) : success(use(matches));
    } finally {
      tree.delete();
    }
  }

  #load(language: Language): Promise<Loaded> {
    const loading = this.#loaded.get(language.name) ?? this.#start(language);
    this.#loaded.set(language.name, loading);
    return loading;
  }

  async #start({ name, query }: Language): Promise<Loaded> {
    const { Language, Parser, Query } = await this.#engine();
    const grammar = await Language.load(await this.#unpack(grammarFile(name)));
    const parser = new Parser();
    parser.setLanguage(grammar);
    return { parser, query: new Query(grammar, query) };
  }

  async #startEngine(): Promise<Engine> {
    const engine = await import("web-tree-sitter");
    const wasmBinary = await this.#unpack(ENGINE_FILE);
    await engine.Parser.init({ wasmBinary, wasmMemory: this.#memory() });
    return engine;
  }

  async #unpack(file: string): Promise<Uint8Array<ArrayBuffer>> {
    const { brotliDecompressSync } = await import("node:zlib");
    const directory = this.#project.setup.data ?? "";
    const packed = attempt(Deno.errors.NotFound, () => Deno.readFileSync(`${directory}/${file}`));
    if (packed === undefined) {
      throw new UserError(`Cannot outline: "${file}" is missing in "${directory}"; install the program again`);
    }
    return new Uint8Array(brotliDecompressSync(packed));
  }
}

type Matches = ReturnType<Query["matches"]>;
type Captures = Matches[number]["captures"];

/** A query of a parsed source. */
interface Question<Value> {
  readonly use: (matches: Matches) => Value;
  /** Absent: the query of the language. */
  readonly query?: Query;
}

/** Definitions in the order of the patterns, because the first match at a place counts. */
function definitionsIn(matches: Matches): readonly Definition[] {
  const ordered = matches.toSorted((one, other) => one.patternIndex - other.patternIndex);
  return ordered.flatMap(({ captures }) => definitionOf(captures));
}

const ROUTINES: ReadonlySet<string> = new Set(["function", "method", "constructor"].map((kind) => DEFINITION + kind));

function functionsIn(matches: Matches): readonly FunctionFacts[] {
  return functionFacts(matches.flatMap(({ captures }) => {
    const node = captures.find(({ name }) => ROUTINES.has(name))?.node;
    const name = captures.find((capture) => capture.name === "name")?.node.text;
    return node === undefined || name === undefined ? [] : [{ node, name }];
  }));
}

function definitionOf(captures: Captures): readonly Definition[] {
  const found = captures.find(({ name }) => name.startsWith(DEFINITION));
  const name = captures.find((capture) => capture.name === "name")?.node.text.replace(/\s+/g, " ");
  if (found === undefined || name === undefined || name === "") return [];
  const { node } = found;
  const body = captures.find((capture) => capture.name === BODY)?.node ?? node.childForFieldName(BODY);
  return [{
    kind: found.name.slice(DEFINITION.length),
    name,
    start: node.startIndex,
    end: Math.max(node.endIndex, body?.endIndex ?? 0),
    body: body?.startIndex,
  }];
}
