/** Races: a hostile command moves things while at least 300 commands are launched, as both users (README.md). */
import { usersAtHand } from "../_support/workbench.ts";
import { testRows } from "./as_tests.ts";
import { RACES } from "./races/rows.ts";

for (const user of usersAtHand()) testRows(user, RACES, "S20");
