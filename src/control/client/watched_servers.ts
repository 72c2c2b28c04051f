/** The servers of this user as they change: they tell it themselves, and the directory of their sockets tells of others (V1). */
import { SILENT } from "../../base/log.ts";
import { DirectoryWatch } from "../../system/directory_watch.ts";
import type { UnixStreams } from "../../system/sockets/unix_stream.ts";
import { controlDirectories, isPrivate } from "../place/control_directories.ts";
import { entriesIn, type Entry } from "../place/entries.ts";
import type { ControlEvent, ListedOperation, ListedServer } from "../protocol/messages.ts";
import { connectTo, tokenOf } from "./running_servers.ts";
import { ServerLine } from "./server_line.ts";

/** Ended operations that are kept of each server, as it lists them. */
const MOST_ENDED = 100;

export interface WatchedServersOptions {
  readonly streams: UnixStreams;
  readonly environment: Readonly<Record<string, string>>;
  /** Called after each change; `operation`: the one that began or ended. */
  readonly onChange: (operation?: ListedOperation) => void;
}

export class WatchedServers implements AsyncDisposable {
  readonly #options: WatchedServersOptions;
  readonly #directories: readonly string[];
  readonly #lines = new Map<string, Promise<void>>();
  readonly #servers = new Map<string, ListedServer>();
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

  /** Those that have told what they run. */
  get servers(): readonly ListedServer[] {
    return [...this.#servers.values()];
  }

  /** Looks for servers that are new. */
  async look(): Promise<void> {
    for (const path of this.#directories) {
      if (!await isPrivate(path)) continue;
      for (const entry of await entriesIn(path)) {
        if (this.#isClosed || this.#lines.has(entry.socket)) continue;
        const followed = this.#follow(entry).finally(() => {
          this.#lines.delete(entry.socket);
          if (this.#servers.delete(entry.socket)) this.#options.onChange();
        });
        this.#lines.set(entry.socket, followed);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#watch[Symbol.asyncDispose]();
    for (const line of this.#open) line[Symbol.dispose]();
    await Promise.all(this.#lines.values());
  }

  /** Until the server is gone. */
  async #follow(entry: Entry): Promise<void> {
    const stream = await connectTo(this.#options.streams, entry);
    if (stream === undefined) return;
    using line = new ServerLine(stream);
    this.#open.add(line);
    await line.request(await tokenOf(entry), { request: "list", usage: true, follow: true });
    for await (const event of line.events) {
      const before = this.#servers.get(entry.socket);
      const after = event.event === "server" ? event.server : before && changed(before, event);
      if (after !== undefined) this.#servers.set(entry.socket, after);
      const operation = event.event === "operation" ? event.operation : undefined;
      const earlier = before?.operations.find(({ id }) => id === operation?.id);
      this.#options.onChange(operation?.state === earlier?.state ? undefined : operation);
    }
    this.#open.delete(line);
  }
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
