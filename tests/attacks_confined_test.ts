/** Rows of the attack catalogue as the ordinary user: arguments, configuration, environment, output. */
import { areRightsDecisive, isAboutResources, testRows } from "./attacks/as_tests.ts";
import { CATALOGUE } from "./attacks/catalogue.ts";

testRows("ordinary", CATALOGUE.filter((row) => !areRightsDecisive(row) && !isAboutResources(row)));
