/** The capabilities that a server declares to a client. */
import type { ServerCapabilities } from "@modelcontextprotocol/server";
import type { Changing } from "../notify/notifications.ts";
import type { Revision, Service } from "../service.ts";
import { SKILLS_EXTENSION, TASKS_EXTENSION } from "../../wire/json_rpc_message.ts";

/** The capabilities of a revision; `knownTo` removes those that a version lacks. With `--sync` there are no tasks. */
export function capabilitiesOf(
  { sources, prompts, resources, onCatalogChange, onLogLevel, settings, registry }: Service,
  revision: Revision,
): ServerCapabilities {
  // If operations are not listed, only tool files and other sources can change the list.
  const mayChange = onCatalogChange !== undefined || resources.length > 0 || !registry.byIdOnly;
  const extensions = {
    ...resources.some(({ skills }) => skills !== undefined) && { [SKILLS_EXTENSION]: { directoryRead: true } },
    ...revision === "2026-07-28" && !settings.synchronous && { [TASKS_EXTENSION]: {} },
  };
  const common = {
    tools: listCapability(sources),
    ...prompts.length > 0 && { prompts: listCapability(prompts) },
    resources: { subscribe: true, ...mayChange && { listChanged: true } },
    completions: {},
    ...Object.keys(extensions).length > 0 && { extensions },
  };
  // Of 2026-07-28, only other servers write log messages during a request.
  if (revision === "2026-07-28") return { ...common, ...onLogLevel !== undefined && { logging: {} } };
  const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  return { ...common, logging: {}, ...!settings.synchronous && { tasks } };
}

function listCapability(sources: readonly Changing[]): { readonly listChanged?: true } {
  return sources.some(({ onChange }) => onChange !== undefined) ? { listChanged: true } : {};
}
