/**
 * Rows of the catalogue as root: those where root's rights could make the difference, and those that only root can try.
 * `deno task attacks` tries all rows as both users; here the rest would show what the ordinary user's run has shown, for
 * minutes of every developer's gate.
 */
import { testRowsAsRoot } from "./as_tests.ts";
import { LIMITS_DECIDE, RIGHTS_DECIDE, SERVER_DECIDES } from "./catalogue.ts";

testRowsAsRoot([
  ...RIGHTS_DECIDE,
  ...[...LIMITS_DECIDE, ...SERVER_DECIDES].filter((row) => "users" in row && !row.users.includes("ordinary")),
]);
