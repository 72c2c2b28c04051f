/** Loads tool files and locates mistakes. A bad file is left out whole, and nothing makes this throw (T1, T4). */
import { lazy } from "../../base/lazy.ts";
import type { NetworkReach } from "../../base/network/network_bound.ts";
import { compareText, truncate } from "../../base/text.ts";
import { visibleText } from "../../base/visible_text.ts";
import { assemble, type Assembly } from "./assemble.ts";
import { type Flatten, flatten, rememberingFlatten } from "../model/flatten.ts";
import { type Diagnostic, keptInService } from "../../base/diagnostic.ts";
import type { Catalog } from "../model/leaf.ts";
import { baseName, LONGEST_NAME, toolNameOf } from "../format/names.ts";
import { placeDiagnostics, syntaxErrorOf } from "./positions.ts";
import { type MayRead, readToolTexts, type ToolText } from "./read_directory.ts";
import { catalogOf } from "../model/snapshot.ts";
import { closedEntries } from "../check/check_network.ts";
import { type ParsedTool, parseTool } from "../check/validate.ts";

export interface LoadOptions {
  /** Tool files from inside the program; a local file of the same file or tool name wins, even a bad one (T15). */
  readonly bundled?: readonly ToolText[];
  /** The prefix that clients see before each name, which counts towards its length (T5); default: none. */
  readonly namePrefix?: string;
  /** What the server allows; default: everything, so that no file's list exceeds it (S43). */
  readonly network?: NetworkReach;
  /** Where the directory may lead; default: anywhere. */
  readonly mayRead?: MayRead | undefined;
}

interface ReadText extends ToolText {
  readonly parsed: ParsedTool;
}

/** Loads repeatedly: an unchanged file is not checked again, and a file that became bad keeps its last good version. */
export class CatalogLoader {
  readonly #bundled: () => readonly ReadText[];
  readonly #mayRead: MayRead | undefined;
  readonly #network: NetworkReach | undefined;
  readonly #longestName: number;
  readonly #flatten = rememberingFlatten();
  /** By path: what was read last. */
  #read: ReadonlyMap<string, ReadText> = new Map();
  /** By path: what was in service last. */
  #served: ReadonlyMap<string, ReadText> = new Map();

  constructor(options: LoadOptions = {}) {
    this.#bundled = lazy(() => (options.bundled ?? []).map(readOwnText));
    this.#mayRead = options.mayRead;
    this.#network = options.network;
    this.#longestName = LONGEST_NAME - (options.namePrefix ?? "").length;
  }

  /** The current tools of a directory; undefined: only the bundled ones. Problems are in `diagnostics`. */
  async load(directory: string | undefined): Promise<Catalog> {
    const { texts, diagnostics } = directory === undefined
      ? { texts: [], diagnostics: [] }
      : readToolTexts(directory, this.#mayRead);
    const local = texts.map((one) => this.#parse(one));
    this.#read = byFile(local);
    const unread = diagnostics.map(({ file }) => this.#served.get(file)).filter((one) => one !== undefined);
    const wanted = [
      ...local.map((one) => one.parsed.kind === "accepted" ? one : this.#served.get(one.file) ?? one),
      ...unread,
    ];
    const first = this.#assemble(wanted, diagnostics);
    // A file that is valid on its own may still clash with others: then its last good version stays too.
    const serving = wanted.map((one) => hasError(first, one.file) ? this.#served.get(one.file) ?? one : one);
    const assembly = serving.some((one, i) => one !== wanted[i]) ? this.#assemble(serving, diagnostics) : first;
    const inService = new Set(assembly.tools.map(({ file }) => file));
    this.#served = byFile(serving.filter(({ file }) => inService.has(file)));
    const kept = new Set(serving.filter((one) => this.#read.get(one.file) !== one).map(({ file }) => file));
    const assemblies = kept.size === 0 ? [assembly] : [first, assembly];
    const found = await diagnosticsOf([...this.#bundled(), ...local], assemblies, this.#network);
    return catalogOf(assembly.leaves, {
      tools: assembly.tools,
      diagnostics: [...diagnostics, ...found].map((one) => kept.has(one.file) ? keptInService(one) : one)
        .map(shown),
    });
  }

  #assemble(local: readonly ReadText[], unread: readonly Diagnostic[]): Assembly {
    const names = new Set([...local, ...unread].map(({ file }) => baseName(file)));
    const tools = new Set(local.flatMap(toolName));
    const bundled = this.#bundled().filter((one) =>
      !names.has(baseName(one.file)) && !toolName(one).some((name) => tools.has(name))
    );
    return assembleTexts([...bundled, ...local], this.#flatten, this.#longestName);
  }

  #parse(text: ToolText): ReadText {
    const before = this.#read.get(text.file);
    return before !== undefined && before.text === withoutMark(text.text) ? before : readText(text);
  }
}

/** The tools of texts without a directory. `network`: what the server allows; absent: all. */
export async function loadCatalogFromTexts(texts: readonly ToolText[], network?: NetworkReach): Promise<Catalog> {
  const read = texts.map(readText);
  const assembly = assembleTexts(read);
  const diagnostics = await diagnosticsOf(read, [assembly], network);
  return catalogOf(assembly.leaves, { tools: assembly.tools, diagnostics });
}

function readText({ file, text }: ToolText): ReadText {
  const plain = withoutMark(text);
  return { file, text: plain, parsed: parseTool(plain) };
}

/** A file from inside the program: the checks that take the most time were made when it was packed (T15). */
function readOwnText({ file, text }: ToolText): ReadText {
  const parsed = { kind: "accepted", definition: JSON.parse(text), diagnostics: [], repeatsKeys: false } as const;
  return { file, text, parsed };
}

/** Editors on other systems put a byte order mark before the text. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function toolName({ file, parsed }: ReadText): readonly string[] {
  return parsed.kind === "accepted" ? [toolNameOf(parsed.definition, file)] : [];
}

function byFile(texts: readonly ReadText[]): ReadonlyMap<string, ReadText> {
  return new Map(texts.map((one) => [one.file, one]));
}

function hasError({ diagnostics }: Assembly, file: string): boolean {
  return diagnostics.get(file)?.some(({ severity }) => severity === "error") === true;
}

function assembleTexts(
  texts: readonly ReadText[],
  leavesOfFile: Flatten = flatten,
  longestName = LONGEST_NAME,
): Assembly {
  const files = inNameOrder(texts).flatMap(({ file, parsed }) =>
    parsed.kind === "accepted" ? [{ file, definition: parsed.definition }] : []
  );
  return assemble(files, leavesOfFile, longestName);
}

/** What was found in the texts themselves and when they were combined. */
async function diagnosticsOf(
  texts: readonly ReadText[],
  assemblies: readonly Assembly[],
  network: NetworkReach | undefined,
): Promise<readonly Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  for (const { file, text, parsed } of inNameOrder(texts)) {
    if (parsed.kind === "not_json") {
      diagnostics.push(await syntaxErrorOf(file, text, { fallback: parsed.cause }));
      continue;
    }
    const together = assemblies.map(({ diagnostics }) => diagnostics.get(file)).find((found) => found !== undefined) ??
      [];
    const alone = parsed.kind === "malformed" ? await parsed.explain() : parsed.diagnostics;
    const closed = parsed.kind === "accepted" && network !== undefined
      ? closedEntries(parsed.definition, network).slice(0, MOST_CLOSED)
      : [];
    const found = [...alone, ...together, ...closed];
    const repeats = parsed.kind === "accepted" && parsed.repeatsKeys;
    if (repeats || found.length > 0) diagnostics.push(...await placeDiagnostics(file, text, found));
  }
  return diagnostics;
}

function inNameOrder(texts: readonly ReadText[]): readonly ReadText[] {
  return texts.toSorted((one, other) =>
    compareText(baseName(one.file), baseName(other.file)) || compareText(one.file, other.file)
  );
}

/** The diagnostic without hidden characters and of limited length: it quotes the file, which may be hostile. */
function shown(diagnostic: Diagnostic): Diagnostic {
  const message = truncate(visibleText(diagnostic.message), LONGEST_MESSAGE);
  return { ...diagnostic, message, pointer: truncate(diagnostic.pointer, LONGEST_POINTER) };
}

/** Lists of one file that name what the server does not allow. */
const MOST_CLOSED = 10;
const LONGEST_MESSAGE = 1_000;
const LONGEST_POINTER = 300;
