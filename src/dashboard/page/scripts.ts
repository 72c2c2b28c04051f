/** The scripts of the page, in the order in which they stand in it. */
import FEED from "./feed.js" with { type: "text" };

export const SCRIPTS: readonly string[] = [FEED];
