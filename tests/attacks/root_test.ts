/**
 * Rows of the catalogue as root: those where root's rights could make the difference, and those that only root can try.
 * `deno task attacks` tries all rows as both users; here the rest would show what the ordinary user's run has shown, for
 * minutes of every developer's gate. A sandbox serves one row after the other; those of files have one for each command.
 */
import { testRowsAsRoot } from "./as_tests.ts";
import { FILES_DECIDE, LIMITS_DECIDE, RELAY_DECIDES, RIGHTS_DECIDE, SERVER_DECIDES } from "./catalogue.ts";

testRowsAsRoot(FILES_DECIDE, "S3 S4 S8", { flags: ["--no-reuse"] });
testRowsAsRoot([
  ...RIGHTS_DECIDE.filter((row) => !FILES_DECIDE.includes(row)),
  ...[...LIMITS_DECIDE, ...RELAY_DECIDES, ...SERVER_DECIDES].filter((row) =>
    "users" in row && !row.users.includes("ordinary")
  ),
]);
