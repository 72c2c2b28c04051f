/** Ports of this machine's loopback that lead into the network of a session's commands (S34). */
import { attempt, UserError } from "../base/errors.ts";
import type { PublishedPort } from "../base/network/published_port.ts";
import { Connection } from "./connection.ts";
import type { RelayMemory } from "./direction.ts";
import type { EventLoop } from "./event_loop.ts";
import type { Endpoint, Sockets } from "./sockets.ts";

/** The network that connections are led into. */
export interface EnteredNetwork {
  readonly hasIpv6: boolean;
  /** Creates unconnected sockets of one family there. Rejects if the system refuses. */
  readonly makeSockets: (family: 4 | 6) => Promise<readonly number[]>;
}

export interface PublicationOptions {
  readonly ports: readonly PublishedPort[];
  /** Called with the reason why a connection was closed, once per port until one is accepted there. */
  readonly onClosed: (port: PublishedPort, reason: string) => void;
}

interface PublicationParts {
  readonly sockets: Sockets;
  readonly loop: EventLoop;
  readonly memory: RelayMemory;
}

/** Connections at once, each with two descriptors of the server. */
const MOST_CONNECTIONS = 1200;

/** Listens until it is closed. */
export class Publication {
  readonly #options: PublicationOptions;
  readonly #parts: PublicationParts;
  readonly #listeners: number[] = [];
  readonly #connections = new Set<Connection>();
  /** Ports whose closed connections were reported. */
  readonly #told = new Set<number>();
  #network: { readonly hasIpv6: boolean; readonly stocks: Readonly<Record<4 | 6, SocketStock>> } | undefined;
  #isClosed = false;

  /** @throws {UserError} When a port is taken, or may not be listened at. */
  constructor(options: PublicationOptions, parts: PublicationParts) {
    this.#options = options;
    this.#parts = parts;
    try {
      for (const port of options.ports) this.#listen(port);
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }

  /** Leads connections into a network from now on. */
  enter({ hasIpv6, makeSockets }: EnteredNetwork): void {
    const stockOf = (family: 4 | 6) => new SocketStock(() => makeSockets(family), this.#parts.sockets);
    if (!this.#isClosed) this.#network = { hasIpv6, stocks: { 4: stockOf(4), 6: stockOf(6) } };
  }

  /** Ends all connections, and accepts no more. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { sockets, loop } = this.#parts;
    for (const listener of this.#listeners) {
      loop.remove(listener);
      sockets.close(listener);
    }
    for (const connection of this.#connections) connection.end();
    for (const stock of Object.values(this.#network?.stocks ?? {})) stock.close();
  }

  #listen(port: PublishedPort): void {
    const { sockets, loop } = this.#parts;
    for (const address of [LOOPBACK, LOOPBACK_6]) {
      const opened = sockets.listen({ address, port: port.port });
      if ("errno" in opened) {
        if (address === LOOPBACK_6 && WITHOUT_IPV6.includes(opened.errno)) continue;
        throw new UserError(problemOf(port, { address, errno: opened.errno }));
      }
      this.#listeners.push(opened.socket);
      loop.addListener(opened.socket, () => this.#accept(opened.socket, port));
    }
  }

  #accept(listener: number, port: PublishedPort): void {
    const accepted = this.#parts.sockets.accept(listener);
    if (accepted !== undefined) this.#lead(accepted.socket, port);
  }

  #lead(client: number, port: PublishedPort): void {
    const { sockets } = this.#parts;
    const network = this.#network;
    const refuse = (reason: string) => {
      sockets.reset(client);
      this.#tell(port, reason);
    };
    if (network === undefined) return refuse("commands share no network, at least not yet");
    if (this.#connections.size >= MOST_CONNECTIONS) return refuse(`there are ${MOST_CONNECTIONS} connections already`);
    const addresses = network.hasIpv6 ? [LOOPBACK, LOOPBACK_6] : [LOOPBACK];
    const connection = attempt(Error, () =>
      new Connection({
        ...this.#parts,
        client,
        places: addresses.map((address) => ({ address, port: port.inside })),
        dial: async (to: Endpoint) => sockets.connect(await network.stocks[to.address.length === 4 ? 4 : 6].take(), to),
        onEnd: ({ refused }) => {
          if (connection !== undefined) this.#connections.delete(connection);
          if (refused === undefined) this.#told.delete(port.port);
          else this.#tell(port, refused.reason);
        },
      }));
    if (connection === undefined) return refuse("the system waits for no further connection");
    this.#connections.add(connection);
    connection.begin();
  }

  #tell(port: PublishedPort, reason: string): void {
    if (this.#isClosed || this.#told.has(port.port)) return;
    this.#told.add(port.port);
    this.#options.onClosed(port, reason);
  }
}

const LOOPBACK = Uint8Array.of(127, 0, 0, 1);
const LOOPBACK_6 = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
const EACCES = 13;
const EADDRINUSE = 98;
/** EAFNOSUPPORT, EADDRNOTAVAIL */
const WITHOUT_IPV6: readonly number[] = [97, 99];

function problemOf(
  { port, inside }: PublishedPort,
  { address, errno }: { readonly address: Uint8Array; readonly errno: number },
): string {
  const place = `${address === LOOPBACK ? "127.0.0.1" : "[::1]"}:${port}`;
  const way = `Choose another port of this machine, as in --publish ${(port + 1) % 65_536 || 1024}:${inside}`;
  if (errno === EADDRINUSE) return `Cannot publish port ${port}: another program listens at ${place}. ${way}`;
  if (errno === EACCES) return `Cannot publish port ${port}: this user may not listen at ${place}. ${way}`;
  return `Cannot publish port ${port}: the system refuses to listen at ${place} (error ${errno}). ${way}`;
}

export class SocketStock {
  readonly #make: () => Promise<readonly number[]>;
  readonly #sockets: Pick<Sockets, "adopt" | "close">;
  readonly #free: number[] = [];
  #making: Promise<void> | undefined;
  #isClosed = false;

  constructor(make: () => Promise<readonly number[]>, sockets: Pick<Sockets, "adopt" | "close">) {
    this.#make = make;
    this.#sockets = sockets;
  }

  /** A socket, which the caller owns. @throws {Error} When the system creates none, or the stock is closed. */
  async take(): Promise<number> {
    for (;;) {
      if (this.#isClosed) throw new Error("The network of commands has ended");
      const socket = this.#free.pop();
      if (socket !== undefined) return socket;
      await (this.#making ??= this.#fill());
    }
  }

  /** Closes what was not taken. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#free.splice(0)) this.#sockets.close(socket);
  }

  async #fill(): Promise<void> {
    try {
      const made = await this.#make();
      for (const socket of made) this.#sockets.adopt(socket);
      this.#free.push(...made);
      if (this.#isClosed) this.close();
    } finally {
      this.#making = undefined;
    }
  }
}
