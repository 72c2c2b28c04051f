/** The form of fast-check: every name, and all of them as the default. */
export * from "./properties.ts";
export * as default from "./properties.ts";
