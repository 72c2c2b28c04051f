/** A repository's configuration and its copy, reached by descriptors without links: commands may move all around it. */
import { sameBytes } from "../../../base/bytes.ts";
import type { OpenFiles } from "../../../system/open_files/file_calls.ts";
import type { PinnedDirectory } from "../../../sandbox/policy/policy.ts";
import { fingerprintOf } from "../../../sandbox/protect/path_snapshot.ts";

/** Git does not write larger ones. */
const LARGEST_BYTES = 1024 * 1024;
const NAME = "config";
const LOCK = "config.lock";
const PRIVATE = 0o600;

/** A directory in a pinned tree that holds a configuration file. */
export interface ConfigPlace {
  readonly tree: PinnedDirectory;
  /** Relative to the tree. */
  readonly directory: string;
}

/** A file as it was read. */
export interface ConfigFile {
  readonly content: Uint8Array<ArrayBuffer>;
  /** See `fingerprintOf`. */
  readonly fingerprint: string;
}

/** Undefined: there is none, or git did not write it. */
export function readConfig(files: OpenFiles, { tree, directory }: ConfigPlace): ConfigFile | undefined {
  const at = files.directory(tree, directory);
  const fd = at === undefined ? undefined : files.open(at, NAME);
  return fd === undefined ? undefined : readOpen(files, fd);
}

function readOpen(files: OpenFiles, fd: number): ConfigFile | undefined {
  const stat = files.stat(fd, "");
  if (stat === undefined || stat.kind !== "file" || stat.size > LARGEST_BYTES) return undefined;
  const content = files.read(fd, stat.size);
  return content && { content, fingerprint: fingerprintOf(stat) };
}

/** Writes into the file itself, as a new one could be a command's; undefined: it changed, or git has its lock. */
export function writeInPlace(
  files: OpenFiles,
  { tree, directory }: ConfigPlace,
  { expected, content }: { readonly expected: Uint8Array; readonly content: Uint8Array<ArrayBuffer> },
): ConfigFile | undefined {
  const at = files.directory(tree, directory);
  if (at === undefined || files.create(at, LOCK) === undefined) return undefined;
  try {
    const fd = files.openForWriting(at, NAME);
    const is = fd === undefined ? undefined : readOpen(files, fd);
    if (fd === undefined || is === undefined || !sameBytes(is.content, expected)) return undefined;
    return files.overwrite(fd, content) ? readConfig(files, { tree, directory }) : undefined;
  } finally {
    files.unlink(at, LOCK);
  }
}

/** Makes the copy, or replaces it, under git's lock; undefined: a command holds the lock, or has made it impossible. */
export function replaceCopy(
  files: OpenFiles,
  { tree, directory }: ConfigPlace,
  content: Uint8Array<ArrayBuffer>,
): ConfigFile | undefined {
  let at = files.directory(tree, ".");
  for (const name of directory.split("/")) {
    if (at === undefined) return undefined;
    const below = files.directoryBelow(at, name);
    if (below === undefined) files.unlink(at, name); // what a command put there
    at = below ?? (files.makeDirectory(at, name) ? files.directoryBelow(at, name) : undefined);
  }
  const fd = at === undefined ? undefined : files.create(at, LOCK, PRIVATE);
  if (at === undefined || fd === undefined) return undefined;
  const isPlaced = files.writeAll(fd, content) && files.replace(at, LOCK, NAME);
  files.drop(fd);
  if (!isPlaced) files.unlink(at, LOCK);
  return isPlaced ? readConfig(files, { tree, directory }) : undefined;
}
