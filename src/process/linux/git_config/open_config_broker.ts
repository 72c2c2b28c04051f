/** Builds the broker of a session, where there is what it needs. */
import type { Sandbox } from "../../../sandbox/prepare_linux.ts";
import { FileCalls } from "../../../system/open_files/file_calls.ts";
import { ConfigBroker, type ConfigBrokerOptions } from "./config_broker.ts";
import { ConfigEditor, type ConfigEditorOptions } from "./edit_config.ts";

export interface OpenBrokerOptions
  extends Pick<ConfigBrokerOptions, "looker" | "ownChanges">, Pick<ConfigEditorOptions, "ask"> {
  readonly sandbox: Sandbox;
}

/** Undefined: there is no sandbox, no temp directory for copies, or no git that could change them. */
export function openConfigBroker({ sandbox, looker, ownChanges, ask }: OpenBrokerOptions): ConfigBroker | undefined {
  const { guard, policy, directories: { root, files, temporary: path }, processor } = sandbox;
  const temporary = policy?.writable.find((one) => one.path === path);
  if (guard?.git === undefined || temporary === undefined) return undefined;
  const ending = new AbortController();
  const editor = new ConfigEditor({ git: guard.git, ask, directory: root, signal: ending.signal });
  const calls = new FileCalls(processor);
  return new ConfigBroker({ trees: guard.trees, temporary, files, calls, looker, editor, ownChanges }, () => {
    ending.abort();
    calls[Symbol.dispose]();
  });
}
