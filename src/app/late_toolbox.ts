/** Native tools, loaded when a group of them is offered, or when something of theirs is asked for. */
import { lazy } from "../base/lazy.ts";
import { failure } from "../base/outcome.ts";
import type { ToolSource } from "../service/service.ts";
import { toolGroups } from "../settings/bundles.ts";
import { projectDirectories } from "./program/directories.ts";
import type { OpenToolbox, OpenToolboxOptions } from "./open_toolbox.ts";

/**
 * The tools of the groups that `--bundles` names.
 * @throws {UsageError} When a directory of the settings cannot be used.
 */
export async function lateToolbox(options: Omit<OpenToolboxOptions, "directories">): Promise<OpenToolbox> {
  const directories = await projectDirectories(options.settings, options.sandbox);
  let opened: Promise<OpenToolbox> | undefined;
  const open = lazy(() =>
    opened = import("./open_toolbox.ts").then(({ openToolbox }) => openToolbox({ ...options, directories }))
  );
  if (toolGroups(options.settings.bundles).length > 0) return await open();
  return {
    source: NO_TOOLS,
    resources: [],
    migrate: async (how) => await (await open()).migrate(how),
    findValues: async (asked, signal) => await (await open()).findValues(asked, signal),
    warmUp: () => Promise.resolve(),
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
}

/** The same list at each time: it never changes. */
const NONE: readonly never[] = [];
const NO_TOOLS: ToolSource = {
  list: () => Promise.resolve(NONE),
  call: () => Promise.resolve(failure({ known: NONE })),
};
