/** Decides which directories may be the scope of a session (H3): real, not too broad, below the ceiling, unchanged. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { StartChildServer } from "../../child_server/child_server.ts";
import type { Libc } from "../../system/libc.ts";
import { isWithin } from "../../system/paths.ts";
import type { PinnedDirectory } from "../../sandbox/policy/policy.ts";
import { settleScopes } from "../../sandbox/grants/resolve_scopes.ts";

interface AllowedScopesOptions {
  readonly libc: Libc;
  /** `--sandbox-scope`, canonical: no session gets more; undefined: not given. */
  readonly ceiling: readonly PinnedDirectory[] | undefined;
  readonly home: string | undefined;
  readonly allowBroad: boolean;
  /** The server's own directories, canonical: no session gets them. */
  readonly reserved: readonly string[];
}

export class AllowedScopes {
  readonly #options: AllowedScopesOptions;

  constructor(options: AllowedScopesOptions) {
    this.#options = options;
  }

  /** The real directory of `path`, which must be absolute; the problem is worded for the client's user. */
  settle(path: string): Outcome<PinnedDirectory> {
    const { libc, home, allowBroad, ceiling, reserved } = this.#options;
    const settled = settleScopes({ scopes: [path], workingDirectory: "/", home, allowBroad }, libc);
    if (!settled.ok) return settled;
    const [directory] = settled.value;
    if (directory === undefined) return failure(`Cannot use "${path}": it is not a directory`);
    if (ceiling !== undefined && !ceiling.some((one) => isWithin(directory.path, one.path))) {
      const paths = ceiling.map((one) => `"${one.path}"`).join(", ");
      return failure(
        `Cannot use "${path}" as the sandbox scope: it lies outside ${paths} (--sandbox-scope of the server)`,
      );
    }
    const own = reserved.find((one) => isWithin(one, directory.path));
    if (own !== undefined) {
      return failure(`Cannot use "${path}" as the sandbox scope: it contains "${own}", a directory of the server`);
    }
    return success(directory);
  }

  /** `start`, refused when one of the scopes is another directory by then: a restart keeps the scope or fails (H6, S1). */
  startUnchanged(scopes: readonly PinnedDirectory[], start: StartChildServer): StartChildServer {
    return (hooks) => {
      const changed = scopes.find((scope) => !this.#isUnchanged(scope));
      if (changed === undefined) return start(hooks);
      return Promise.reject(
        new Error(`The directory "${changed.path}" was replaced by another since the session began`),
      );
    };
  }

  #isUnchanged({ path, device, inode }: PinnedDirectory): boolean {
    const now = this.#options.libc.identityOf(path);
    return now?.device === device && now.inode === inode;
  }
}
