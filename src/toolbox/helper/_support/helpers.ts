/** Helper processes that run the source files, for unit tests. */
import { Helpers } from "../helpers.ts";

/** Command line of a helper. */
export const HELPER: readonly string[] = [
  Deno.execPath(),
  "run",
  "--allow-all",
  "--no-prompt",
  new URL(import.meta.resolve("../../worker/helper.ts")).pathname,
];

/** Those of a project without files; dispose of them. */
export function helpersForTests(): Helpers {
  return new Helpers({ setup: { scopes: ["/"], readable: [], writable: [], helper: HELPER } });
}
