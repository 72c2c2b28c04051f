/** Builds what stands between commands and git outside, where there is what it needs. */
import type { Sandbox } from "../../../sandbox/prepare_linux.ts";
import { FileCalls } from "../../../system/open_files/file_calls.ts";
import { ConfigBroker, type ConfigBrokerOptions } from "./config_broker.ts";
import { ConfigEditor, type ConfigEditorOptions } from "./edit_config.ts";
import { GitlinkQuery } from "./gitlink_query.ts";
import { MadeRepositories } from "./made_repositories.ts";

export interface OpenBrokerOptions
  extends Pick<ConfigBrokerOptions, "looker" | "ownChanges">, Pick<ConfigEditorOptions, "ask"> {
  readonly sandbox: Sandbox;
}

export interface GitConfig extends Disposable {
  /** Undefined: there is no temp directory for copies. */
  readonly broker: ConfigBroker | undefined;
  readonly made: MadeRepositories;
}

/** Undefined: there is no sandbox, or no git that could be asked. */
export function openGitConfig({ sandbox, looker, ownChanges, ask }: OpenBrokerOptions): GitConfig | undefined {
  const { guard, temporary, directories: { root, files }, processor } = sandbox;
  if (guard?.git === undefined) return undefined;
  const { trees, open, git } = guard;
  const ending = new AbortController();
  const { signal } = ending;
  const editor = new ConfigEditor({ git, ask, directory: root, signal });
  const calls = new FileCalls(processor);
  return {
    broker: temporary && new ConfigBroker({ trees, temporary, files, calls, looker, editor, ownChanges }),
    made: new MadeRepositories({ trees, open, calls, looker, editor, query: new GitlinkQuery({ git, ask, signal }) }),
    [Symbol.dispose]: () => {
      ending.abort();
      calls[Symbol.dispose]();
    },
  };
}
