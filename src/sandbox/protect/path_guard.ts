/**
 * Checks guarded paths, before a command to know what to mount and after it to find changes (S7, S8, S21). The cost is
 * some two microseconds a path, so it is done for each command, and waiting shells know the state at their start. If
 * nothing changed since the last check, stat_watch.ts says so faster.
 */
import type { ProtectedChange } from "../../base/command/protected_change.ts";
import type { GuardPlan, GuardView, Looker } from "./guard_view.ts";
import { GuardLook } from "./path_snapshot.ts";

/** `mounted`: the view will be mounted, as with namespaces. */
export function lookAtGuarded(plan: GuardPlan, libc: Looker, { mounted }: { readonly mounted: boolean }): GuardView {
  const looking = new GuardLook(libc, plan, mounted);
  for (const one of plan.protected) looking.protect(one);
  for (const one of plan.hidden) looking.hide(one);
  return looking.view();
}

/** What differs between a view and a later one, sorted by path. */
export function protectedChanges(before: GuardView, after: GuardView): readonly ProtectedChange[] {
  if (before === after) return [];
  const changes: ProtectedChange[] = [];
  for (const path of new Set([...before.seen.keys(), ...after.seen.keys()])) {
    const [was, is] = [before.seen.get(path), after.seen.get(path)];
    if (was === is) continue;
    changes.push({ path, change: was === undefined ? "created" : is === undefined ? "removed" : "changed" });
  }
  return changes.sort((one, other) => one.path < other.path ? -1 : 1);
}
