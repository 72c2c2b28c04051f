/** Programs that tests start outside the sandbox as the user whose server is attacked. */
import { ORDINARY_ID, type User } from "../../_support/workbench.ts";

/** The words that run `line` as the user, from this test run. */
export function asUser(user: User, line: readonly [string, ...string[]]): readonly [string, ...string[]] {
  if (user !== "ordinary" || Deno.uid() !== 0) return line;
  return ["setpriv", `--reuid=${ORDINARY_ID}`, `--regid=${ORDINARY_ID}`, "--clear-groups", ...line];
}
