/** Builds the broker between commands and git outside, if its requirements are met. */
import type { PinnedDirectory } from "../../../sandbox/policy/policy.ts";
import type { Sandbox } from "../../../sandbox/prepare_linux.ts";
import { withLibc } from "../../../system/libc.ts";
import { FileCalls } from "../../../system/open_files/file_calls.ts";
import { ConfigBroker, type ConfigBrokerOptions } from "./config_broker.ts";
import { ConfigEditor, type ConfigEditorOptions } from "./edit_config.ts";
import { AcceptedRepositories } from "./accepted_repositories.ts";
import { KnownRepositories } from "./known_repositories.ts";
import { MadeRepositories } from "./made_repositories.ts";
import { SetAside } from "./set_aside.ts";
import { TreeEvents } from "../../../system/changes/tree_events.ts";
import { isGenerated } from "../../../sandbox/protect/nested_repositories.ts";

/** The entry that git enters, and those that make a directory a repository. */
const NAMES = [".git", "HEAD", "commondir", "objects", "refs"] as const;
const MOST_DIRECTORIES = 65_536;
/** Share of each user's watches: editors and other servers need some too. */
const SHARE = 0.25;
const FEWEST_WATCHES = 8_192;

export interface OpenBrokerOptions
  extends Pick<ConfigBrokerOptions, "looker" | "ownChanges">, Pick<ConfigEditorOptions, "ask"> {
  readonly sandbox: Sandbox;
  /** Trees of the sandbox that commands can write to. */
  readonly trees: readonly PinnedDirectory[];
  /** Begins the names of its copies, which lie in one directory for all of a session. */
  readonly name: string;
}

export interface GitConfig extends Disposable {
  /** Undefined: there is no temp directory for copies. */
  readonly broker: Pick<ConfigBroker, "add" | "follow" | "links" | "settle"> | undefined;
  readonly made: Pick<MadeRepositories, "begin" | "settle" | "kept" | "isComplete">;
}

/** Undefined: there is no sandbox, or no git that could be asked. */
export function openGitConfig(
  { sandbox, trees, name, looker, ownChanges, ask }: OpenBrokerOptions,
): GitConfig | undefined {
  const { guard, temporary, accepted, directories: { root, files } } = sandbox;
  if (guard?.git === undefined) return undefined;
  const { open, git } = guard;
  const ending = new AbortController();
  const { signal } = ending;
  const editor = new ConfigEditor({ git, ask, directory: root, signal });
  const calls = new FileCalls();
  const events = new TreeEvents({ names: NAMES, isLeftOut: isGenerated, most: mostDirectories() });
  return {
    broker: temporary && new ConfigBroker({ trees, name, temporary, files, calls, looker, editor, ownChanges }),
    made: new MadeRepositories({
      trees,
      open,
      calls,
      editor,
      events,
      known: new KnownRepositories({ looker, events }),
      accepted: new AcceptedRepositories({ looker, file: accepted }),
      setAside: new SetAside({ calls, newId: () => crypto.randomUUID() }),
    }),
    [Symbol.dispose]: () => {
      ending.abort();
      events[Symbol.dispose]();
      calls[Symbol.dispose]();
    },
  };
}

function mostDirectories(): number {
  const limit = withLibc((libc) => libc.readProc("/proc/sys/fs/inotify/max_user_watches"));
  return Math.min(MOST_DIRECTORIES, Math.floor(Number(limit ?? FEWEST_WATCHES) * SHARE));
}
