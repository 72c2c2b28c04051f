/**
 * What a session's commands may do on macOS, as plain data: the profile is a pure function of it (S11). Reads are open
 * but for what is sensitive, because programs there need files from all over the system (docs/security.md).
 */

/** How far commands reach over IP (S6). On macOS `localhost` is the machine's own: no private one can be made. */
export type SeatbeltNetwork = "full" | "localhost" | "none";

/** All paths are absolute and without `.`, `..`, doubled or closing slashes; links are followed by who makes the policy. */
export interface SeatbeltPolicy {
  /** Canonical trees that may be changed: the scopes first, then what `--write` names, temp and caches. */
  readonly writable: readonly string[];
  /** Never readable nor writable, as spelled and where it really is (S7). Names and kinds stay visible. */
  readonly sensitive: readonly string[];
  /** Parts of `writable` that may not be changed, existing or not (S8). */
  readonly protected: readonly string[];
  /** The same for those where a directory is not meant: `.git` as a file leads to a repository somewhere else. */
  readonly protectedFiles: readonly string[];
  readonly network: SeatbeltNetwork;
  /** `allow`: Unix sockets everywhere, those of docker and ssh-agent included; `deny`: only in `writable`. */
  readonly unixSockets: "deny" | "allow";
}
