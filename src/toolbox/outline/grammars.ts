/** Grammars of tree-sitter, unpacked from the data of the worker when a first file needs them. */
import type { Parser, Query } from "web-tree-sitter";
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
const BODY = "body";
const DEFINITION = "def.";

interface Loaded {
  readonly parser: Parser;
  readonly query: Query;
}

type Engine = typeof import("web-tree-sitter");

/** What a worker has loaded of them. */
export class Grammars {
  readonly #directory: string | undefined;
  #engine: Promise<Engine> | undefined;
  readonly #loaded = new Map<string, Promise<Loaded>>();

  constructor({ setup }: Pick<Project, "setup">) {
    this.#directory = setup.data;
  }

  /** The definitions in a source; undefined: it takes too long. @throws {UserError} When the grammar is missing. */
  async definitions(language: Language, text: string): Promise<readonly Definition[] | undefined> {
    const { parser, query } = await this.#load(language);
    const end = Date.now() + MOST_TIME;
    const isLate = () => Date.now() > end;
    const tree = parser.parse(text, null, { progressCallback: isLate });
    if (tree === null) {
      parser.reset();
      return undefined;
    }
    try {
      const matches = query.matches(tree.rootNode, { progressCallback: isLate });
      return isLate() ? undefined : definitionsIn(matches);
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
    await engine.Parser.init({ wasmBinary });
    return engine;
  }

  async #unpack(file: string): Promise<Uint8Array<ArrayBuffer>> {
    const { brotliDecompressSync } = await import("node:zlib");
    try {
      return new Uint8Array(brotliDecompressSync(Deno.readFileSync(`${this.#directory ?? ""}/${file}`)));
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
      throw new UserError(`Cannot outline: "${file}" is missing in "${this.#directory}"; install the program again`);
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
