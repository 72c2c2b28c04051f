/**
 * Rows of the research as root: those where root's rights could make the difference, on files, links, other processes and
 * namespaces, and those that only root can try. `deno task attacks` tries all rows as both users; here the rest would
 * show what the ordinary user's run has shown, for minutes of everybody's gate.
 */
import { areRightsDecisive, isOurOwn, testRowsAsRoot } from "./as_tests.ts";
import { SINGLE_ATTACKS } from "./catalogue.ts";

testRowsAsRoot(SINGLE_ATTACKS.filter((row) => {
  return !isOurOwn(row) && (areRightsDecisive(row) || "users" in row && !row.users.includes("ordinary"));
}));
