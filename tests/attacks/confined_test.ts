/** Rows of the attack catalogue as the ordinary user: arguments, configuration, environment, output. */
import { testRows } from "./as_tests.ts";
import { SERVER_DECIDES } from "./catalogue.ts";

testRows("ordinary", SERVER_DECIDES);
