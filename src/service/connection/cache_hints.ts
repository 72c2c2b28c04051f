/** How long 2026-07-28 clients may keep a list (C3): minutes if fixed, since a new start may change it. */
import type { ServerOptions } from "@modelcontextprotocol/server";
import type { Service } from "../service.ts";

const KEPT_MS = 300_000;

/** The lists that are the same as long as the server runs. */
export function listHints(
  { prompts, resources }: Pick<Service, "prompts" | "resources">,
): NonNullable<ServerOptions["cacheHints"]> {
  return {
    ...prompts.every((source) => source.onChange === undefined) && { "prompts/list": { ttlMs: KEPT_MS } },
    ...resources.length === 0 && { "resources/templates/list": { ttlMs: KEPT_MS } },
  };
}

/** For a list of tools that is made now: which tools there are can be unknown until checks have ended. */
export function toolsTtlMs({ sources }: Pick<Service, "sources">): number {
  const isFinal = sources.every((source) => source.onChange === undefined && source.isFinal?.() !== false);
  return isFinal ? KEPT_MS : 0;
}
