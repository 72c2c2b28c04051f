/** Rows of the attack catalogue as the ordinary user: network, limits, what is left running, sequences. */
import { isAboutResources, testRows } from "./as_tests.ts";
import { SINGLE_ATTACKS } from "./catalogue.ts";

testRows("ordinary", SINGLE_ATTACKS.filter(isAboutResources));
