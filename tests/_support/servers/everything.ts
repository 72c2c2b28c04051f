/** The official server with one of everything, from npm. */
import { officialServer } from "../packages/npm_tools.ts";

/** Its command line. */
export const EVERYTHING = await officialServer("everything");
if (EVERYTHING.problem !== undefined && Deno.env.get("CI") !== undefined) throw new Error(EVERYTHING.problem);
/** For the name of a test that is left out without it. */
export const MISSING = EVERYTHING.problem === undefined ? "" : ` (left out: ${EVERYTHING.problem})`;
