/** Rows of our own as root. */
import { testRowsAsRoot } from "./as_tests.ts";
import { OUR_OWN } from "./catalogue.ts";

testRowsAsRoot(OUR_OWN);
