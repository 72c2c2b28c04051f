/** The other rows as the ordinary user: arguments, configuration, environment, network, output, limits, sequences. */
import { areRightsDecisive, testRows } from "./attacks/as_tests.ts";
import { CATALOGUE } from "./attacks/catalogue.ts";

testRows("ordinary", CATALOGUE.filter((row) => !areRightsDecisive(row)));
