/** Rows of the attack catalogue as the ordinary user, where rights decide; `deno task attacks` prints all as a table. */
import { areRightsDecisive, testRows } from "./attacks/as_tests.ts";
import { CATALOGUE } from "./attacks/catalogue.ts";

testRows("ordinary", CATALOGUE.filter(areRightsDecisive));
