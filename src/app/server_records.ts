/** The record of servers' definitions, and all servers for `ahma_mcp servers`, without starting any. */
import { UserError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { Diagnostic } from "../base/diagnostic.ts";
import type { Settings } from "../settings/settings.ts";
import { stateDirectory } from "../system/user_directories.ts";
import type { ConfiguredServer, ServerSpec } from "../upstream/config/server_spec.ts";
import type { ServerRecord } from "../upstream/definitions/pins.ts";
import { RecordStore, serverIdentity } from "../upstream/definitions/record_store.ts";
import { readServers } from "./servers/read_servers.ts";
import { isInOpenTree, openTrees } from "./writable_trees.ts";

/** A server that can be used. */
export interface KnownServer {
  readonly spec: ServerSpec;
  /** Name of the record. */
  readonly id: string;
  /** Undefined: it was never asked. */
  readonly record: ServerRecord | undefined;
}

export interface KnownServers {
  readonly store: RecordStore;
  /** In the order of the configuration. */
  readonly usable: readonly KnownServer[];
  readonly others: readonly Exclude<ConfiguredServer, { readonly state: "usable" }>[];
  readonly diagnostics: readonly Diagnostic[];
}

/** @throws {UserError} When a file cannot be read, or the place of the records is open to commands. */
export async function knownServers(
  settings: Settings,
  environment: Readonly<Record<string, string>>,
  log: Logger,
): Promise<KnownServers> {
  const { servers, diagnostics } = await readServers(settings, environment);
  const store = openRecords(settings, environment, log);
  const usable: KnownServer[] = [];
  for (const server of servers) {
    if (server.state !== "usable") continue;
    const id = await serverIdentity(server.spec);
    usable.push({ spec: server.spec, id, record: store.read(id) });
  }
  return { store, usable, others: servers.filter((server) => server.state !== "usable"), diagnostics };
}

/** The records, where no command can write. @throws {UserError} When commands could approve what a server changes. */
export function openRecords(
  { sandbox }: Pick<Settings, "sandbox">,
  environment: Readonly<Record<string, string>>,
  log: Logger,
): RecordStore {
  const state = stateDirectory(environment);
  if (state === undefined) {
    throw new UserError(
      'Cannot use "--mcp-config": neither XDG_STATE_HOME nor HOME names a directory for approvals',
    );
  }
  const directory = `${state}/servers`;
  if (sandbox.enforce && isInOpenTree(directory, openTrees(sandbox, environment))) {
    throw new UserError(
      `Cannot use "--mcp-config": commands can write to "${directory}", where approvals are stored. ` +
        "Choose another scope, or set XDG_STATE_HOME",
    );
  }
  return new RecordStore(directory, log);
}
