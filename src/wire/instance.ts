/** How an HTTP server of this program recognizes its own requests: configured behind itself it would call itself. */

/** Header of requests to servers at addresses: the instance that sends them. */
export const INSTANCE_HEADER = "ahma-instance";

/** Variable that hands the instance of an HTTP server to the processes of its sessions. */
export const INSTANCE_VARIABLE = "AHMA_INSTANCE";
