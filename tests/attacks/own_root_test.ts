/** Rows of our own as root. */
import { isOurOwn, testRowsAsRoot } from "./as_tests.ts";
import { CATALOGUE } from "./catalogue.ts";

testRowsAsRoot(CATALOGUE.filter(isOurOwn));
