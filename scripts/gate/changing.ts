/** The unit tests that change shared state of their runtime, and restore it: one after the other, in one of their own. */
import { OWN_RUNTIME } from "./own_runtime.ts";

const ROOT = new URL("../../", import.meta.url);

for (const file of OWN_RUNTIME) await import(new URL(file, ROOT).href);
