/** Answers the questions of a network's commands about names, over UDP and TCP (answer_query.ts). */
import { concatenate } from "../base/bytes.ts";
import { answerQuery, type ResolvedNames } from "./dns/answer_query.ts";
import { framed, takeFrame } from "./dns/dns_frame.ts";
import type { EventLoop } from "./event_loop.ts";
import type { Endpoint, Sockets } from "./sockets.ts";

export interface DnsServiceOptions {
  readonly sockets: Sockets;
  readonly loop: EventLoop;
  readonly names: ResolvedNames;
  /** Whether a name that is not listed has an address all the same. */
  readonly mayConnect: (name: string, from: CommandSide) => boolean;
  /** Gets each name that has none, and the command's end of the question. */
  readonly onRefused: (name: string, from: CommandSide) => void;
}

type CommandSide = Endpoint & { readonly protocol: "udp" | "tcp" };

const MOST_DATAGRAMS = 8;
const LONGEST_DATAGRAM = 4096;
/** Connections at once; one more ends the oldest. */
const MOST_CONNECTIONS = 64;

export class DnsService {
  readonly #options: DnsServiceOptions;
  readonly #datagram = new Uint8Array(LONGEST_DATAGRAM);
  readonly #connections = new Map<number, { readonly from: Endpoint; bytes: Uint8Array }>();
  readonly #listeners: readonly number[];
  #isClosed = false;

  /** `udp`, `tcp`: sockets of the network, this object's from now on. @throws {Error} When the system refuses to wait for them. */
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
      const answer = this.#answer(this.#datagram.subarray(0, received.bytes), { ...received.from, protocol: "udp" });
      if (answer !== undefined) sockets.sendTo(udp, answer, received.from);
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

  /** False: it asks nothing that can be answered, or does not take its answers. */
  #answerFrames(socket: number, connection: { readonly from: Endpoint; bytes: Uint8Array }): boolean {
    for (;;) {
      const taken = takeFrame(connection.bytes);
      if (taken === "more") return true;
      if (taken === "invalid") return false;
      const answer = this.#answer(taken.message, { ...connection.from, protocol: "tcp" });
      if (answer === undefined) return false;
      const frame = framed(answer);
      const sent = this.#options.sockets.send(socket, frame);
      if (sent === "blocked" || "errno" in sent || sent.bytes !== frame.length) return false;
      connection.bytes = taken.rest;
    }
  }

  #answer(message: Uint8Array, from: CommandSide) {
    const { names, mayConnect, onRefused } = this.#options;
    const isListed = (name: string) => names.isListed(name) || mayConnect(name, from);
    const reply = answerQuery(message, { ...names, isListed });
    if (reply?.refused !== undefined) onRefused(reply.refused, from);
    return reply?.message;
  }

  #close(socket: number): void {
    this.#connections.delete(socket);
    this.#options.loop.remove(socket);
    this.#options.sockets.close(socket);
  }
}
