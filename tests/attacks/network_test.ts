/** Rows of the attack catalogue as the ordinary user: the network by name, secrets, published ports. */
import { testRows } from "./as_tests.ts";
import { RELAY_DECIDES } from "./catalogue.ts";

testRows("ordinary", RELAY_DECIDES);
