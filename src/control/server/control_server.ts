/**
 * The private socket of a server (X24). A person's program of the same user connects, proves with the token that it can
 * read the user's private files, and makes one request. The server never waits for it, and it cannot fill the memory.
 */
import { equalInConstantTime } from "../../base/bytes.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { withTimeout } from "../../base/time.ts";
import { type UnixListener, type UnixStream, UnixStreams } from "../../system/sockets/unix_stream.ts";
import { type ControlDirectory, makeDirectory } from "../place/control_directories.ts";
import { makeEntry, type OwnEntry, removeDeadEntries } from "../place/entries.ts";
import { readRequest, type Request, type RequestName } from "../protocol/messages.ts";
import { Peer } from "./peer.ts";

/** Serves a request, and settles when the peer needs nothing more. */
export type Answer = (request: Request, peer: Peer) => Promise<void>;
export type Answers = Readonly<Record<RequestName, Answer>>;

/** The most programs connected at once; each takes one or two threads while it waits. */
const MOST_PEERS = 16;
/** How long a program may take to make its request, milliseconds. */
const REQUEST_MS = 5_000;
/** How long the last events may take when the server ends, milliseconds. */
const LAST_EVENTS_MS = 200;

export interface ControlServerOptions {
  /** Places for its socket; the first usable one is taken. */
  readonly directories: readonly ControlDirectory[];
  readonly answers: Answers;
  readonly log: Logger;
}

export class ControlServer implements AsyncDisposable {
  readonly #options: ControlServerOptions;
  readonly #streams: UnixStreams;
  readonly #entry: OwnEntry;
  readonly #listener: UnixListener;
  readonly #peers = new Set<Peer>();
  readonly #taking: Promise<void>;

  private constructor(options: ControlServerOptions, { streams, entry, listener }: Made) {
    this.#options = options;
    this.#streams = streams;
    this.#entry = entry;
    this.#listener = listener;
    this.#taking = this.#take();
  }

  /** Listens, and removes entries of dead servers. The problem says why there is no socket. */
  static async open(options: ControlServerOptions): Promise<Outcome<ControlServer>> {
    const problems: string[] = [];
    for (const place of options.directories) {
      const made = await make(place);
      if (!made.ok) {
        problems.push(made.problem);
        continue;
      }
      await removeDeadEntries(place.path);
      return success(new ControlServer(options, made.value));
    }
    return failure(
      problems.join("; ") || "neither XDG_RUNTIME_DIR, XDG_STATE_HOME nor HOME names a place out of reach of commands",
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    // A person who watches an operation that ends with the server still gets its last output.
    if (this.#peers.size > 0) await withTimeout(this.#taking, LAST_EVENTS_MS);
    for (const peer of this.#peers) peer[Symbol.dispose]();
    await Promise.all([this.#taking, this.#entry.remove()]);
    this.#streams[Symbol.dispose]();
  }

  async #take(): Promise<void> {
    const serving = new Set<Promise<void>>();
    for (let stream = await this.#listener.accept(); stream !== undefined; stream = await this.#listener.accept()) {
      const served: Promise<void> = this.#serve(stream).finally(() => serving.delete(served));
      serving.add(served);
    }
    await Promise.all(serving);
  }

  async #serve(stream: UnixStream): Promise<void> {
    using peer = new Peer(stream);
    if (this.#peers.size >= MOST_PEERS || stream.peerUser !== Deno.uid()) return;
    this.#peers.add(peer);
    try {
      await this.#answer(peer);
    } catch (thrown) {
      this.#options.log.warn("Cannot answer a person's program", { error: messageOf(thrown) });
    } finally {
      this.#peers.delete(peer);
    }
  }

  async #answer(peer: Peer): Promise<void> {
    const timer = setTimeout(() => peer[Symbol.dispose](), REQUEST_MS);
    const { value: line } = await peer.lines.next().finally(() => clearTimeout(timer));
    if (line === undefined) return;
    const request = readRequest(line);
    const isKnown = request.ok && equalInConstantTime(request.value.token, this.#entry.token);
    if (isKnown) return await this.#options.answers[request.value.name](request.value, peer);
    await peer.send({ event: "refused", problem: request.ok ? "The token is not this server's" : request.problem });
  }
}

interface Made {
  readonly streams: UnixStreams;
  readonly entry: OwnEntry;
  readonly listener: UnixListener;
}

async function make(place: ControlDirectory): Promise<Outcome<Made>> {
  const directory = await makeDirectory(place);
  if (!directory.ok) return directory;
  const streams = new UnixStreams();
  let entry: OwnEntry | undefined;
  let listener: UnixListener | undefined;
  try {
    entry = await makeEntry(directory.value);
    listener = streams.listen(entry.socket);
    await entry.publish();
    return success({ streams, entry, listener });
  } catch (thrown) {
    listener?.close();
    await entry?.remove();
    streams[Symbol.dispose]();
    return failure(`in "${place.path}": ${messageOf(thrown)}`);
  }
}
