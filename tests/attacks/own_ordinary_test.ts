/** Rows of our own as the ordinary user. */
import { isOurOwn, testRows } from "./as_tests.ts";
import { SINGLE_ATTACKS } from "./catalogue.ts";

testRows("ordinary", SINGLE_ATTACKS.filter(isOurOwn));
