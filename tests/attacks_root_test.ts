/**
 * Rows of the attack catalogue as root: those where root's rights could make the difference, on files, links, other
 * processes, namespaces and this program itself, and those that only root can try. `deno task attacks` tries all rows
 * as both users; here the rest would show what the ordinary user's run has shown, for minutes of everybody's gate.
 */
import { areRightsDecisive, testRows } from "./attacks/as_tests.ts";
import { CATALOGUE } from "./attacks/catalogue.ts";
import { usersAtHand } from "./_support/workbench.ts";

const rows = CATALOGUE.filter((row) => areRightsDecisive(row) || "users" in row && !row.users.includes("ordinary"));
if (usersAtHand().includes("root")) testRows("root", rows);
else Deno.test({ name: "S3 rows as root (ignored: the tests do not run as root)", ignore: true, fn: () => {} });
