/** Rows of the research as the ordinary user, where rights decide; `deno task attacks` prints all rows as a table. */
import { areRightsDecisive, isOurOwn, testRows } from "./as_tests.ts";
import { SINGLE_ATTACKS } from "./catalogue.ts";

testRows("ordinary", SINGLE_ATTACKS.filter((row) => areRightsDecisive(row) && !isOurOwn(row)));
