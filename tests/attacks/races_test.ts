/** Races: a hostile command moves things while commands are launched (README.md). */
import { testRows, testRowsAsRoot } from "./as_tests.ts";
import { RACES } from "./catalogue.ts";

testRows("ordinary", RACES, "S20");
testRowsAsRoot(RACES, "S20");
