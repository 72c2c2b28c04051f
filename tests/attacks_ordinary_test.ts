/** Every row of the attack catalogue as the ordinary user: `deno task attacks` prints the same as a table. */
import { testRows } from "./attacks/as_tests.ts";
import { CATALOGUE } from "./attacks/catalogue.ts";

testRows("ordinary", CATALOGUE);
