/** A configuration file of servers in any dialect (O1): its text becomes servers and diagnostics with their places. */
import { didYouMean } from "../../base/suggest.ts";
import { isObject, parseJson } from "../../wire/json_value.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { errorAt, type UnplacedDiagnostic } from "../../catalog/format/diagnostic.ts";
import { placeDiagnostics, syntaxErrorOf } from "../../catalog/load/positions.ts";
import type { InputFacts, VariableSources } from "./expand.ts";
import { EntryReader } from "./entry_reader.ts";
import { readEntry } from "./read_entry.ts";
import type { ConfiguredServer } from "./server_spec.ts";

/** The keys under which clients keep their servers. */
const TOP_KEYS = ["servers", "mcpServers", "context_servers"] as const;
/** More than a person writes. */
const MOST_SERVERS = 200;

/** What a file says. */
export interface ServersFile {
  readonly servers: readonly ConfiguredServer[];
  /** In the order of the file. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the text of `file`; nothing it may hold makes this throw. */
export async function readServersFile(
  file: string,
  text: string,
  sources: Omit<VariableSources, "inputs">,
): Promise<ServersFile> {
  const parsed = await parseWithComments(file, text);
  if ("message" in parsed) return { servers: [], diagnostics: [parsed] };
  const { servers, diagnostics } = readServers(parsed.value, sources);
  // The parser with places is loaded for mistakes only.
  return { servers, diagnostics: diagnostics.length === 0 ? [] : await placeDiagnostics(file, text, diagnostics) };
}

async function parseWithComments(file: string, text: string): Promise<{ readonly value: unknown } | Diagnostic> {
  const strict = parseJson(text);
  if (strict.ok) return strict;
  if (file.endsWith(".toml")) {
    const message = 'The file is TOML, which is not read: write the servers as JSON, under "mcpServers"';
    return { severity: "error", file, pointer: "", line: 0, column: 0, message };
  }
  const { parse } = await import("jsonc-parser");
  const errors: { readonly error: number }[] = [];
  const value: unknown = parse(text, errors as never[], { allowTrailingComma: true });
  return errors.length === 0
    ? { value }
    : await syntaxErrorOf(file, text, { fallback: strict.problem, comments: true });
}

interface UnplacedFile {
  readonly servers: readonly ConfiguredServer[];
  readonly diagnostics: readonly UnplacedDiagnostic[];
}

function readServers(value: unknown, sources: Omit<VariableSources, "inputs">): UnplacedFile {
  if (!isObject(value)) return nothing([], 'The file must be an object with the key "mcpServers" or "servers"');
  const top = TOP_KEYS.find((key) => value[key] !== undefined);
  if (top === undefined) {
    const guess = Object.keys(value).map((key) => didYouMean(key, TOP_KEYS)).find((one) => one !== "") ?? "";
    return nothing([], `The file names no servers: expected the key "mcpServers" or "servers"${guess}`);
  }
  const entries = value[top];
  if (!isObject(entries)) return nothing([top], `Field "${top}" must be an object of servers`);
  if (Object.keys(entries).length > MOST_SERVERS) return nothing([top], `At most ${MOST_SERVERS} servers are read`);
  const all = { ...sources, inputs: inputsOf(value["inputs"]) };
  const read = Object.entries(entries).map(([name, entry]) =>
    readOne(name, entry, { path: [top, name], sources: all })
  );
  return { servers: read.map(({ server }) => server), diagnostics: read.flatMap(({ diagnostics }) => diagnostics) };
}

function nothing(path: readonly string[], message: string): UnplacedFile {
  return { servers: [], diagnostics: [errorAt(path, message)] };
}

function readOne(
  name: string,
  entry: unknown,
  { path, sources }: { readonly path: readonly string[]; readonly sources: VariableSources },
): { readonly server: ConfiguredServer; readonly diagnostics: readonly UnplacedDiagnostic[] } {
  if (!isObject(entry)) {
    const problem = `The server must be an object with "command" or "url"`;
    return { server: { state: "refused", name, problem }, diagnostics: [errorAt(path, problem)] };
  }
  const reader = new EntryReader(entry, path);
  return { server: readEntry(name, reader, sources), diagnostics: reader.diagnostics };
}

/** What an editor would ask for; an input of the kind `command` has no value, because it would run a program. */
function inputsOf(inputs: unknown): ReadonlyMap<string, InputFacts> {
  const list = Array.isArray(inputs) ? inputs.filter(isObject) : [];
  return new Map(list.map(({ id, type, default: fallback }) => [
    String(id),
    { fallback: typeof fallback === "string" && type !== "command" ? fallback : undefined },
  ]));
}
