/** Grammars of tree-sitter, unpacked from the data of the worker when a first file needs them. */
import type { Parser, Query } from "web-tree-sitter";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { lazy } from "../../base/lazy.ts";
import { UserError } from "../../base/errors.ts";
import type { Project } from "../project/project.ts";
import type { Language } from "./languages/languages.ts";
import type { Definition } from "./symbols.ts";

/** The engine that runs grammars, in the data of the worker; grammars lie beside it by the names of their languages. */
export const ENGINE_FILE = "tree-sitter.br";

/** The file of a grammar. */
export function grammarFile(language: string): string {
  return `grammar-${language}.br`;
}

/** A source that takes longer is left out, milliseconds. */
const MOST_TIME = 3000;
/** Memory of the engine in pages of 64 KiB: 32 MiB at first, at most 512 MiB. */
const LEAST_PAGES = 512;
const MOST_PAGES = 8192;
/** A source for which memory grows beyond this is left out. */
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

/** What a worker has loaded of them. */
export class Grammars {
  readonly #project: Pick<Project, "setup" | "spend">;
  readonly #memory = lazy(() => new WebAssembly.Memory({ initial: LEAST_PAGES, maximum: MOST_PAGES }));
  #engine: Promise<Engine> | undefined;
  #isBroken = false;
  readonly #loaded = new Map<string, Promise<Loaded>>();

  constructor(project: Pick<Project, "setup" | "spend">) {
    this.#project = project;
  }

  /** The definitions in a source; the problem: it is too much. @throws {UserError} When the grammar is missing. */
  async definitions(language: Language, text: string): Promise<Outcome<readonly Definition[]>> {
    if (this.#isBroken) return failure(BROKEN_BEFORE);
    const loaded = await this.#load(language);
    try {
      return this.#parse(loaded, text);
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      // Whatever it says, its memory is not to be trusted afterwards.
      this.#isBroken = true;
      this.#project.spend();
      return failure(BROKEN);
    }
  }

  /** Whether a source has broken the engine: this worker outlines nothing more, and another takes its place. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  #parse({ parser, query }: Loaded, text: string): Outcome<readonly Definition[]> {
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
      return isTooMuch() ? failure(TOO_MUCH) : success(definitionsIn(matches));
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
    this.#engine ??= this.#startEngine();
    const { Language, Parser, Query } = await this.#engine;
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
    try {
      return new Uint8Array(brotliDecompressSync(Deno.readFileSync(`${directory}/${file}`)));
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
      throw new UserError(`Cannot outline: "${file}" is missing in "${directory}"; install the program again`);
    }
  }
}

type Matches = ReturnType<Query["matches"]>;
type Captures = Matches[number]["captures"];

/** In the order of the patterns, because the first that fits a place counts. */
function definitionsIn(matches: Matches): readonly Definition[] {
  const ordered = matches.toSorted((one, other) => one.patternIndex - other.patternIndex);
  return ordered.flatMap(({ captures }) => definitionOf(captures));
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
