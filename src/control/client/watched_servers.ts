/** The servers of this user as they change: they announce it themselves, and the directory of their sockets shows new ones (V1). */
import { SILENT } from "../../base/log.ts";
import { DirectoryWatch } from "../../system/directory_watch.ts";
import type { UnixStreams } from "../../system/sockets/unix_stream.ts";
import { controlDirectories, isPrivateDirectory } from "../place/control_directories.ts";
import { entriesIn, type Entry } from "../place/entries.ts";
import type { ControlEvent, ListedOperation, ListedServer } from "../protocol/messages.ts";
import type { FoundServer } from "./running_servers.ts";
import { ServerLine } from "./server_line.ts";

/** The most ended operations kept for each server, in its order. */
const MOST_ENDED = 100;

export interface WatchedServersOptions {
  readonly streams: UnixStreams;
  readonly environment: Readonly<Record<string, string>>;
  /** Called after each change. */
  readonly onChange: (change: ServerChange) => void;
}

/** What has changed. */
export interface ServerChange {
  /** The server's key, as in `named`. */
  readonly key: string;
  /** The operation that changed; absent: the server started or ended, or something else in it changed. */
  readonly operation?: ListedOperation;
  /** The operation began or ended; false: its usage was measured. */
  readonly isNewState: boolean;
}

export class WatchedServers implements AsyncDisposable {
  readonly #options: WatchedServersOptions;
  readonly #directories: readonly string[];
  readonly #lines = new Map<string, Promise<void>>();
  readonly #servers = new Map<string, FoundServer>();
  readonly #open = new Set<ServerLine>();
  readonly #watch: DirectoryWatch;
  #isClosed = false;

  constructor(options: WatchedServersOptions) {
    this.#options = options;
    this.#directories = controlDirectories(options.environment).map(({ path }) => path);
    this.#watch = new DirectoryWatch({
      directories: this.#directories,
      onChange: () => void this.look(),
      log: SILENT,
    });
  }

  /** Servers that have reported what they run. */
  get servers(): readonly ListedServer[] {
    return [...this.#servers.values()].map(({ server }) => server);
  }

  /** The same by key; keys are never reused. */
  get named(): ReadonlyMap<string, FoundServer> {
    return this.#servers;
  }

  /** Looks for servers that are new. */
  async look(): Promise<void> {
    for (const path of this.#directories) {
      if (!await isPrivateDirectory(path)) continue;
      for (const entry of await entriesIn(path)) {
        const key = keyOf(entry);
        if (this.#isClosed || this.#lines.has(key)) continue;
        const followed = this.#follow(entry, key).finally(() => {
          this.#lines.delete(key);
          if (this.#servers.delete(key)) this.#options.onChange({ key, isNewState: false });
        });
        this.#lines.set(key, followed);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#watch[Symbol.asyncDispose]();
    for (const line of this.#open) line[Symbol.dispose]();
    await Promise.all(this.#lines.values());
  }

  /** Follows a server until it is gone. */
  async #follow(entry: Entry, key: string): Promise<void> {
    using line = await ServerLine.open(this.#options.streams, entry);
    if (line === undefined) return;
    this.#open.add(line);
    await line.request({ request: "list", usage: true, follow: true });
    for await (const event of line.events) {
      const before = this.#servers.get(key)?.server;
      const server = event.event === "server" ? event.server : before && changed(before, event);
      if (server !== undefined) this.#servers.set(key, { entry, server });
      const operation = event.event === "operation" ? event.operation : undefined;
      const earlier = before?.operations.find(({ id }) => id === operation?.id);
      this.#options.onChange({
        key,
        ...operation !== undefined && { operation },
        isNewState: operation?.state !== earlier?.state,
      });
    }
    this.#open.delete(line);
  }
}

/** The key of a server: the name of its socket, which has a random part. */
function keyOf({ socket }: Entry): string {
  return socket.slice(socket.lastIndexOf("/") + 1).replace(/\.sock$/, "");
}

/** The server after an event. Pure. */
export function changed(server: ListedServer, event: ControlEvent): ListedServer {
  if (event.event !== "operation") return server;
  const { operation } = event;
  const others = server.operations.filter(({ id }) => id !== operation.id);
  const ended = others.filter((one) => one.ended !== undefined);
  const tooMany = new Set(ended.slice(0, Math.max(0, ended.length - MOST_ENDED)));
  return { ...server, operations: [...others.filter((one) => !tooMany.has(one)), operation] };
}
