/** Rows of the attack catalogue as the ordinary user: sockets, limits, what is left running, sequences. */
import { testRows } from "./as_tests.ts";
import { LIMITS_DECIDE } from "./catalogue.ts";

testRows("ordinary", LIMITS_DECIDE);
