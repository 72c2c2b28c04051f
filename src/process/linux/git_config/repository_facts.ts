/** Reads what decides about a repository (S24), by descriptors from a pinned tree, without links or waiting. */
import type { OpenFiles, Stat } from "../../../system/open_files/file_calls.ts";
import { fingerprintOf } from "../../../sandbox/protect/path_snapshot.ts";
import { setAsideAt } from "../../../sandbox/git_config/set_aside_places.ts";
import type { FormEntry } from "../../../sandbox/git_config/repository_form.ts";

/** Git does not write larger ones. */
const LARGEST_CONFIG = 1024n * 1024n;
/** Entries of one directory; one with more does not belong to a repository. */
const MOST_ENTRIES = 4_096;

/** What a repository's own directory holds. */
export interface RepositoryEntries {
  readonly entries: readonly FormEntry[];
  readonly hooks: readonly FormEntry[] | undefined;
  readonly branches: readonly FormEntry[] | undefined;
  /** Undefined: there is no separate file of a plausible size for a configuration. */
  readonly config: Uint8Array<ArrayBuffer> | undefined;
}

/** Facts of the directory `name`, or without a name of `directory` itself; undefined: it is not one. */
export function repositoryEntries(files: OpenFiles, directory: number, name: string): RepositoryEntries | undefined {
  const at = files.directoryBelow(directory, name === "" ? "." : name);
  if (at === undefined) return undefined;
  const entries = formEntries(files, at);
  return entries && {
    entries,
    hooks: entriesBelow(files, at, "hooks"),
    branches: entriesBelow(files, at, "branches"),
    config: configIn(files, at),
  };
}

/** Whether a directory holds an entry of this name; false also for the link of what was set aside. */
export function isThere(files: OpenFiles, directory: number, name: string): boolean {
  return files.stat(directory, name) !== undefined && !isAside(files, directory, name);
}

/** Whether the link of something that was set aside has the name. */
export function isAside(files: OpenFiles, directory: number, name: string): boolean {
  return setAsideAt(files.linkTarget(directory, name) ?? "") !== undefined;
}

/** Differs if the file was written or replaced; for a directory only if it was replaced. */
export function stateOf(stat: Stat): string {
  return stat.kind === "directory" ? `${stat.device}:${stat.inode}` : fingerprintOf(stat);
}

function entriesBelow(files: OpenFiles, directory: number, name: string): readonly FormEntry[] | undefined {
  const at = files.directoryBelow(directory, name);
  return at === undefined ? undefined : formEntries(files, at);
}

function formEntries(files: OpenFiles, directory: number): readonly FormEntry[] | undefined {
  const names = files.entries(directory);
  if (names.length > MOST_ENTRIES) return undefined;
  return names.flatMap(({ name }) => {
    const stat = files.stat(directory, name);
    return stat === undefined ? [] : [{ name, kind: stat.kind, state: stateOf(stat) }];
  });
}

function configIn(files: OpenFiles, directory: number): Uint8Array<ArrayBuffer> | undefined {
  const fd = files.open(directory, "config");
  const stat = fd === undefined ? undefined : files.stat(fd, "");
  // Through a second name it could change unnoticed.
  const isOwn = stat !== undefined && stat.kind === "file" && stat.links === 1 && stat.size <= LARGEST_CONFIG;
  return fd === undefined || !isOwn ? undefined : files.read(fd, stat.size);
}
