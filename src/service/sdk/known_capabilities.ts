/** Capabilities that the negotiated version knows (docs/design.md, "SDK corrections": capabilities). */
import type { Handler } from "./handler.ts";

/** The one version whose core has tasks. */
export const VERSION_OF_CORE_TASKS = "2025-11-25";
/** Capabilities by the version that brought them; the others were always there. */
const SINCE: Readonly<Record<string, string>> = { completions: "2025-03-26", tasks: VERSION_OF_CORE_TASKS };

/** `initialize` without the capabilities that the version it settles on does not know. */
export function withKnownCapabilities(initialize: Handler): Handler {
  return async (request, context) => {
    const result = await initialize(request, context);
    return { ...result, capabilities: knownTo(String(result["protocolVersion"]), result["capabilities"] ?? {}) };
  };
}

/** Those of the capabilities that a version knows. */
export function knownTo(version: string, capabilities: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => (SINCE[name] ?? "") <= version));
}
