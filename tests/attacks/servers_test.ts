/** Other servers behind the program that mean harm: to the machine and their neighbours, to the client, to the program. */
import { testRows, testRowsAsRoot } from "./as_tests.ts";
import { HOSTILE_SERVERS } from "./catalogue.ts";

testRows("ordinary", HOSTILE_SERVERS, "O6 S3");
testRowsAsRoot(HOSTILE_SERVERS, "O6 S3");
