/** The fourth share of the unit tests. */
import { defineShare } from "../unit_share.ts";

await defineShare(4);
