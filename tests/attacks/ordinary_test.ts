/** Rows of the catalogue as the ordinary user, where rights decide; `deno task attacks` prints all rows as a table. */
import { testRows } from "./as_tests.ts";
import { RIGHTS_DECIDE } from "./catalogue.ts";

testRows("ordinary", RIGHTS_DECIDE);
