/** Rows of our own as root. */
import { isOurOwn, testRowsAsRoot } from "./as_tests.ts";
import { SINGLE_ATTACKS } from "./catalogue.ts";

testRowsAsRoot(SINGLE_ATTACKS.filter(isOurOwn));
