/** Makes what a session has for itself, whatever confines its commands. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { type PlaceQuestion, scopeCache, sessionBase } from "./private_directories.ts";
import { createSessionCache, createSessionDirectories, type SessionDirectories } from "./session_directory.ts";

export interface SessionPlaces {
  readonly directories: SessionDirectories;
  /** For package managers: kept for the project, or where that cannot be, the session's. */
  readonly cache: string;
  /** Those of them that commands write to. */
  readonly ours: readonly string[];
}

/** `project` names the cache. */
export function makeSessionPlaces(
  place: PlaceQuestion,
  { project, temporaryFiles }: { readonly project: string; readonly temporaryFiles: boolean },
): Outcome<SessionPlaces> {
  const base = sessionBase(place);
  if (base === undefined) {
    return failure(
      "Cannot make a private directory for the session: TMPDIR, /tmp and /var/tmp are missing, not writable, or open " +
        "to commands by the scope or --write. Set TMPDIR to a directory outside them",
    );
  }
  const directories = createSessionDirectories(base, { temporaryFiles });
  const cache = scopeCache(place, project) ?? createSessionCache(directories);
  return success({
    directories,
    cache,
    ours: [directories.temporary, cache].filter((path) => path !== undefined),
  });
}
