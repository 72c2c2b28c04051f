/** Changes of protected files by the server itself, which results do not report. */
import type { ProtectedChange } from "../../base/command/protected_change.ts";
import type { GuardView } from "./guard_view.ts";

/** Of one file, while one command ran. */
const MOST_STEPS = 16;

export class OwnChanges {
  /** Fingerprints after a change, by path and fingerprint before. */
  readonly #after = new Map<string, string>();

  /** Adds a change of a file between two fingerprints. */
  add(path: string, before: string, after: string): void {
    this.#after.set(`${path}\0${before}`, after);
  }

  /** The changes except those that only the server made. */
  without(changes: readonly ProtectedChange[], before: GuardView, after: GuardView): readonly ProtectedChange[] {
    return changes.filter(({ path }) => {
      let was = before.seen.get(path);
      for (let steps = 0; steps < MOST_STEPS && this.#after.has(`${path}\0${was}`); steps++) {
        was = this.#after.get(`${path}\0${was}`);
        if (was === after.seen.get(path)) return false;
      }
      return true;
    });
  }
}
