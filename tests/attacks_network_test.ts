/** Rows of the attack catalogue as the ordinary user: network, limits, what is left running, sequences. */
import { isAboutResources, testRows } from "./attacks/as_tests.ts";
import { CATALOGUE } from "./attacks/catalogue.ts";

testRows("ordinary", CATALOGUE.filter(isAboutResources));
