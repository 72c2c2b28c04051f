/** Answers the questions of a network's commands about names, over UDP and TCP (answer_query.ts). */
import { concatenate } from "../base/bytes.ts";
import type { NetworkRefusal } from "../base/command/network_use.ts";
import { withTimeout } from "../base/time.ts";
import { answerQuery, type ResolvedNames } from "./dns/answer_query.ts";
import { framed, takeFrame } from "./dns/dns_frame.ts";
import type { EventLoop } from "./event_loop.ts";
import type { CommandSide, Endpoint, Sockets } from "./sockets.ts";

export interface DnsServiceOptions {
  readonly sockets: Sockets;
  readonly loop: EventLoop;
  readonly names: ResolvedNames;
  /** Whether an unlisted name gets an address anyway. */
  readonly mayConnect: (name: string, from: CommandSide) => boolean;
  /** Why no connection may go to a listed name, whose addresses are looked up; undefined: one may. */
  readonly check: (name: string) => NetworkRefusal | undefined | Promise<NetworkRefusal | undefined>;
  /** Called with each refused name, and the command's end of the question; without a reason, the name is not listed. */
  readonly onRefused: (name: string, from: CommandSide, reason?: NetworkRefusal) => void;
  /** Called with what a late answer has thrown. */
  readonly onFailure: (thrown: unknown) => void;
}

const MOST_DATAGRAMS = 8;
const LONGEST_DATAGRAM = 4096;
/** Connections at once; one more ends the oldest. */
const MOST_CONNECTIONS = 64;
/** Names checked at once; others are checked when they are connected to. */
const MOST_CHECKED = 256;
/** Milliseconds. A check that takes longer is left to the connection: clients ask again after three seconds. */
const CHECK_MS = 1_500;

interface Conversation {
  readonly from: Endpoint;
  /** What was not answered yet. */
  bytes: Uint8Array;
}

export class DnsService {
  readonly #options: DnsServiceOptions;
  readonly #datagram = new Uint8Array(LONGEST_DATAGRAM);
  readonly #connections = new Map<number, Conversation>();
  readonly #listeners: readonly number[];
  #checked = 0;
  #isClosed = false;

  /** `udp`, `tcp`: sockets of the network, which this object now owns. @throws {Error} When the system refuses to wait for them. */
  constructor(options: DnsServiceOptions, { udp, tcp }: { readonly udp: number; readonly tcp: number }) {
    this.#options = options;
    this.#listeners = [udp, tcp];
    options.loop.add(udp, () => this.#answerDatagrams(udp));
    options.loop.add(tcp, () => this.#accept(tcp));
  }

  close(): void {
    this.#isClosed = true;
    for (const one of [...this.#connections.keys(), ...this.#listeners]) this.#close(one);
  }

  #answerDatagrams(udp: number): void {
    const { sockets, loop } = this.#options;
    for (let count = 0; count < MOST_DATAGRAMS && !this.#isClosed; count++) {
      const received = sockets.receiveFrom(udp, this.#datagram);
      if (received === undefined) return;
      this.#answer(this.#datagram.subarray(0, received.bytes), {
        from: { ...received.from, protocol: "udp" },
        send: (answer) => sockets.sendTo(udp, answer, received.from),
      });
    }
    if (!this.#isClosed) loop.again(() => this.#answerDatagrams(udp));
  }

  #accept(tcp: number): void {
    const { sockets, loop } = this.#options;
    for (let accepted = sockets.accept(tcp); accepted !== undefined; accepted = sockets.accept(tcp)) {
      const { socket, from } = accepted;
      const [oldest] = this.#connections.keys();
      if (oldest !== undefined && this.#connections.size >= MOST_CONNECTIONS) this.#close(oldest);
      this.#connections.set(socket, { from, bytes: new Uint8Array(0) });
      loop.add(socket, () => this.#converse(socket));
    }
  }

  #converse(socket: number): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    for (;;) {
      const read = this.#options.sockets.receive(socket, this.#datagram);
      if (read === "blocked") return;
      if ("errno" in read || read.bytes === 0) return this.#close(socket);
      connection.bytes = concatenate([connection.bytes, this.#datagram.subarray(0, read.bytes)]);
      if (!this.#answerFrames(socket, connection)) return this.#close(socket);
    }
  }

  /** False: it asks nothing that can be answered. */
  #answerFrames(socket: number, connection: Conversation): boolean {
    for (;;) {
      const taken = takeFrame(connection.bytes);
      if (taken === "more") return true;
      if (taken === "invalid") return false;
      connection.bytes = taken.rest;
      const isAnswered = this.#answer(taken.message, {
        from: { ...connection.from, protocol: "tcp" },
        send: (answer) => this.#sendFrame(socket, connection, answer),
      });
      if (!isAnswered) return false;
    }
  }

  /** Ends a connection that does not read its answers; it may have ended before. */
  #sendFrame(socket: number, connection: Conversation, answer: Uint8Array): void {
    if (this.#connections.get(socket) !== connection) return;
    const frame = framed(answer);
    const sent = this.#options.sockets.send(socket, frame);
    if (sent === "blocked" || "errno" in sent || sent.bytes !== frame.length) this.#close(socket);
  }

  /** Sends the answer now, or once the name was checked. False: there is none. */
  #answer(message: Uint8Array, { from, send }: {
    readonly from: CommandSide;
    readonly send: (answer: Uint8Array<ArrayBuffer>) => void;
  }): boolean {
    const { names, mayConnect, check, onRefused, onFailure } = this.#options;
    const isListed = (name: string) => names.isListed(name) || mayConnect(name, from);
    const reply = answerQuery(message, { ...names, isListed });
    if (reply === undefined) return false;
    if (reply.refused !== undefined) onRefused(reply.refused, from);
    const { unchecked } = reply;
    const decide = (reason: NetworkRefusal | undefined) => {
      if (this.#isClosed) return;
      if (reason !== undefined && unchecked !== undefined) onRefused(unchecked.name, from, reason);
      send(reason === undefined ? reply.message : unchecked?.denial ?? reply.message);
    };
    const found = unchecked === undefined || this.#checked >= MOST_CHECKED ? undefined : check(unchecked.name);
    if (!(found instanceof Promise)) decide(found);
    else {
      this.#checked++;
      withTimeout(found, CHECK_MS).finally(() => this.#checked--).then(decide).catch(onFailure);
    }
    return true;
  }

  #close(socket: number): void {
    this.#connections.delete(socket);
    this.#options.loop.remove(socket);
    this.#options.sockets.close(socket);
  }
}
