/** Rows of the attack catalogue as the ordinary user: arguments, configuration, environment, output. */
import { areRightsDecisive, isAboutResources, testRows } from "./as_tests.ts";
import { SINGLE_ATTACKS } from "./catalogue.ts";

testRows("ordinary", SINGLE_ATTACKS.filter((row) => !areRightsDecisive(row) && !isAboutResources(row)));
