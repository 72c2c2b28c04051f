/** Rows of our own as the ordinary user. */
import { isOurOwn, testRows } from "./as_tests.ts";
import { CATALOGUE } from "./catalogue.ts";

testRows("ordinary", CATALOGUE.filter(isOurOwn));
