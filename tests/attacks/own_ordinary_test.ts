/** Rows of our own as the ordinary user. */
import { testRows } from "./as_tests.ts";
import { OUR_OWN } from "./catalogue.ts";

testRows("ordinary", OUR_OWN);
