/** Rows of the attack catalogue as the ordinary user: arguments, configuration, environment, output. */
import { areRightsDecisive, isAboutResources, testRows } from "./as_tests.ts";
import { CATALOGUE } from "./catalogue.ts";

testRows("ordinary", CATALOGUE.filter((row) => !areRightsDecisive(row) && !isAboutResources(row)));
