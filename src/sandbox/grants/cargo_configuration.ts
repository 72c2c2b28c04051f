/** The user's configuration of cargo, without secrets, in the CARGO_HOME of commands, its only place (S25). */
import { encodeText } from "../../base/text.ts";
import { FileCalls, type OpenFiles } from "../../system/open_files/file_calls.ts";
import { readTextIfRegular } from "../../system/reading/regular_file.ts";
import { isSecret } from "./user_configuration.ts";
import type { PinnedDirectory } from "../policy/policy.ts";

const LARGEST_BYTES = 1024 * 1024;
/** Tables of which every key is kept that names no secret. */
const TABLES = /^(?:source|registries|registry|http|net|profile|alias|unstable|term|install|target)(?:\..*)?$/;
const HEADER = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}\s*(?:#.*)?$/;
const KEY = /^\s*[\w"'.-]+\s*=/;
/** A text of several lines, whose lines cannot be told from keys. */
const LONG_TEXT = /"""|'''/;

/** The harmless tables of a `config.toml`, each key with its lines; nothing before the first table. Pure. */
export function cleanCargoConfiguration(text: string): string {
  if (LONG_TEXT.test(text)) return "";
  let isKept = false;
  const entries: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const table = HEADER.exec(line)?.[1];
    if (table !== undefined) isKept = TABLES.test(table);
    if (!isKept || /^\s*#/.test(line)) continue;
    if (table !== undefined || KEY.test(line)) entries.push("");
    entries[entries.length - 1] += `${line}\n`;
  }
  return entries.filter((entry) => !isSecret(entry)).join("");
}

export interface CargoQuestion {
  readonly home: string | undefined;
  /** The cache of the scope: commands can move all that is in it, so that it is reached by descriptors. */
  readonly cache: PinnedDirectory;
}

/** Writes the copy, if the user has a configuration, and replaces what is there. */
export function copyCargoConfiguration({ home, cache }: CargoQuestion): void {
  const text = home === undefined ? undefined : readTextIfRegular(`${home}/.cargo/config.toml`, LARGEST_BYTES);
  const copy = cleanCargoConfiguration(text ?? "");
  if (copy === "") return;
  const calls = new FileCalls();
  try {
    const files = calls.begin();
    write(files, { cache, copy });
    files[Symbol.dispose]();
  } finally {
    calls[Symbol.dispose]();
  }
}

function write(files: OpenFiles, { cache, copy }: { readonly cache: PinnedDirectory; readonly copy: string }): void {
  const at = files.directory(cache, ".");
  if (at === undefined) return;
  files.makeDirectory(at, "cargo"); // nothing to do where it is there
  const directory = files.directoryBelow(at, "cargo");
  if (directory === undefined) return;
  files.unlink(directory, "config.toml");
  const fd = files.create(directory, "config.toml", 0o600);
  if (fd !== undefined) files.writeAll(fd, encodeText(copy));
}
