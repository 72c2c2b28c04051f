/** Which changes of protected paths a result has reported, and which none has reported yet. */
import type { ProtectedChange } from "../../../base/command/protected_change.ts";
import type { Logger } from "../../../base/log.ts";
import type { GuardView } from "../../../sandbox/protect/guard_view.ts";
import { isWithin } from "../../../system/paths.ts";

export class ChangeReports {
  readonly #logger: Logger;
  /** Changes found after their command's result was sent: the next result reports them. */
  #late: readonly ProtectedChange[] = [];
  /** The state of each path when a result last reported it. */
  readonly #told = new Map<string, string | undefined>();
  /** The link that took the place of each repository that was set aside. */
  readonly #aside = new Map<string, string | undefined>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Reports changes that no result has reported, to the log and the next result. */
  keep(changes: readonly ProtectedChange[]): void {
    if (changes.length === 0) return;
    this.#late = [...this.#late, ...changes];
    this.#logger.warn("Protected paths changed, and no result has reported it yet", { changes });
  }

  /** The same, but for those whose state in `view` was reported. */
  keepNew(changes: readonly ProtectedChange[], view: GuardView): void {
    this.keep(changes.filter((one) => !this.#isTold(one, view)));
  }

  /** Reports to `onChange` what was found, after earlier findings that it does not cover. */
  tell(found: readonly ProtectedChange[], onChange: (changes: readonly ProtectedChange[]) => void): void {
    const late = this.#late.filter(({ path, change }) =>
      !found.some((one) => one.path === path && (isPlain(change) || one.change === change))
    );
    this.#late = [];
    if (late.length + found.length > 0) onChange([...late, ...found]);
  }

  /** Remembers the state in `view` of what was reported or will be. */
  remember(found: readonly ProtectedChange[], view: GuardView): void {
    for (const { path, change } of found) {
      this.#told.set(path, view.seen.get(path));
      if (change === "set_aside") this.#aside.set(path, view.seen.get(path));
    }
  }

  /** Whether it is what setting a repository aside did, which was reported: commands that began before see it too. */
  isAside({ path, change }: ProtectedChange, { seen }: GuardView): boolean {
    return this.#aside.entries().some(([aside, link]) =>
      link !== undefined && seen.get(aside) === link && isWithin(path, aside) &&
      (path === aside || change === "removed")
    );
  }

  #isTold({ path, change }: ProtectedChange, { seen }: GuardView): boolean {
    return isPlain(change) && this.#told.has(path) && this.#told.get(path) === seen.get(path);
  }
}

/** Whether the path itself was replaced: later reports about it say the same. */
function isPlain(change: ProtectedChange["change"]): boolean {
  return change === "created" || change === "changed" || change === "removed";
}
