/** Lets an HTTP server of this program recognize its own requests, so that it does not serve itself in a loop. */

/** The request header that names the sending instance. */
export const INSTANCE_HEADER = "ahma-instance";

/** The variable that tells the processes of an HTTP server's sessions its instance. */
export const INSTANCE_VARIABLE = "AHMA_INSTANCE";
