/** Rows of the research as the ordinary user, where rights decide; `deno task attacks` prints all rows as a table. */
import { areRightsDecisive, isOurOwn, testRows } from "./as_tests.ts";
import { CATALOGUE } from "./catalogue.ts";

testRows("ordinary", CATALOGUE.filter((row) => areRightsDecisive(row) && !isOurOwn(row)));
