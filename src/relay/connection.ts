/** One connection of a command: its first bytes are judged while its other end is dialled, then both directions are passed on. */
import { concatenate, sameBytes } from "../base/bytes.ts";
import { attempt, messageOf } from "../base/errors.ts";
import type { NetworkRefusal } from "../base/command/network_use.ts";
import { type Admits, Direction, type RelayMemory } from "./direction.ts";
import type { Deadline, EventLoop } from "./event_loop.ts";
import type { Endpoint, Opened, Sockets } from "./sockets.ts";

/** The verdict on the first bytes of a client: not enough yet; what to pass on in their place; or why nothing is passed on. */
export type FirstBytes = "more" | Passed | { readonly refused: NetworkRefusal };

export interface Passed {
  readonly pass: Uint8Array<ArrayBuffer>;
  /** How many of the next bytes may pass; undefined: the connection is cut off. Absent: all pass. */
  readonly further?: Admits;
}

/** Where a connection may go. */
export interface Place extends Endpoint {
  /** Called with the port that it is dialled from. */
  readonly onDialled?: (port: number) => void;
  /** It ends when the client stops sending, because the server there would not notice. Absent: the other direction may continue. */
  readonly endsWithClient?: boolean;
  /** Why it may not be dialled if it turns out to be this machine; undefined: it may. Absent: it may. */
  readonly ownProblem?: () => NetworkRefusal | undefined;
}

export type Judge = (bytes: Uint8Array<ArrayBuffer>) => FirstBytes;

/** How a connection ended. */
export interface ConnectionEnd {
  /** Where it went; undefined: nowhere. */
  readonly address: Endpoint | undefined;
  readonly bytesOut: number;
  readonly bytesIn: number;
  /** Why it was cut off by us; absent: it was not. */
  readonly refused?: NetworkRefusal;
}

/** Where a connection may go, in order of preference; or why it goes nowhere. */
export type Places = readonly Place[] | { readonly refused: NetworkRefusal };

export interface ConnectionOptions {
  readonly sockets: Sockets;
  readonly loop: EventLoop;
  readonly memory: RelayMemory;
  /** The accepted socket, which this object now owns. */
  readonly client: number;
  readonly places: Places | Promise<Places>;
  /** Begins a connection to a place; absent: with a socket of this machine's network. */
  readonly dial?: (to: Endpoint) => Promise<Opened>;
  /** Judges everything that the client has sent so far; absent: all may pass. */
  readonly judge?: Judge | undefined;
  readonly onEnd: (end: ConnectionEnd) => void;
}

/** The longest beginning that is judged, bytes: a ClientHello with several records. */
const MOST_FIRST_BYTES = 32 * 1024;
/** Most reads that are judged: each judges the earlier bytes again. */
const MOST_PIECES = 64;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #out: Direction;
  readonly #in: Direction;
  /** The judge while it decides; undefined: it has decided. */
  #first: Uint8Array<ArrayBuffer> | undefined;
  /** How often it was judged. */
  #pieces = 0;
  #server: number | undefined;
  #isDialled = false;
  #endsWithClient = false;
  #address: Endpoint | undefined;
  /** Until the dialled place has answered. */
  #dial: Deadline | undefined;
  #isOver = false;

  /** @throws {Error} When the system refuses to wait for it; the socket is still the caller's then. */
  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { sockets, memory, loop, client, judge } = options;
    this.#out = new Direction(sockets, memory);
    this.#in = new Direction(sockets, memory);
    this.#first = judge === undefined ? undefined : new Uint8Array(0);
    loop.add(client, () => this.#step());
  }

  /** Cuts it off. */
  end(): void {
    this.#finish({ cut: true });
  }

  /** Ends it once the client stops sending, after its data was passed on: nothing there reads any more. */
  endWithClient(): void {
    this.#endsWithClient = true;
    this.#step();
  }

  /** Dials, once. First bytes that have already come are judged before, others while it dials or later. */
  begin(): void {
    this.#isJudged();
    if (this.#isOver) return;
    const { places } = this.#options;
    if (!(places instanceof Promise)) return this.#choose(places);
    places.then((found) => this.#choose(found)).catch((thrown) => this.#refuse(unreachable(messageOf(thrown))));
  }

  #choose(places: Places): void {
    if (this.#isOver) return;
    if ("refused" in places) this.#refuse(places.refused);
    else this.#try(places, "no place to dial");
  }

  /** Dials the first place, and the next if that fails; `why`: the previous failure. */
  #try(places: readonly Place[], why: string): void {
    const { sockets, dial } = this.#options;
    const [place, ...others] = places;
    if (place === undefined) return this.#refuse(unreachable(why));
    const fail = (errno: number) => this.#try(others, DIAL_ERRORS[errno] ?? `error ${errno}`);
    if (dial === undefined) return this.#await(place, sockets.dial(place), fail);
    dial(place).then((opened) => this.#await(place, opened, fail)).catch((thrown) =>
      this.#refuse(unreachable(messageOf(thrown)))
    );
  }

  /** Waits until a place has answered; `fail` gets the error's number. */
  #await(place: Place, dialled: Opened, fail: (errno: number) => void): void {
    const { sockets, loop } = this.#options;
    if ("errno" in dialled) return this.#isOver ? undefined : fail(dialled.errno);
    const { socket } = dialled;
    if (this.#isOver) return sockets.close(socket);
    place.onDialled?.(sockets.ownEnd(socket).port);
    this.#server = socket;
    const answered = (errno: number) => {
      this.#endDial();
      if (errno !== 0) {
        this.#close("server");
        return fail(errno);
      }
      const refused = this.#isOwn(place) ? place.ownProblem?.() : undefined;
      if (refused !== undefined) return this.#refuse(refused);
      this.#address = place;
      this.#isDialled = true;
      this.#endsWithClient ||= place.endsWithClient ?? false;
      this.#step();
    };
    this.#dial = loop.later(() => answered(ETIMEDOUT));
    const isHeard = attempt(Error, () => {
      loop.add(socket, ({ write }) => {
        if (this.#dial === undefined) this.#step();
        else if (write) answered(sockets.errorOf(socket));
      });
      return true;
    });
    if (isHeard === undefined) this.#refuse(unreachable("the system waits for no further connection"));
  }

  #endDial(): void {
    if (this.#dial !== undefined) this.#options.loop.drop(this.#dial);
    this.#dial = undefined;
  }

  /** A route can make an address local that no interface has: then both ends of a connection have the same address. */
  #isOwn({ address }: Endpoint): boolean {
    const { sockets } = this.#options;
    const own = this.#server === undefined ? address : sockets.ownEnd(this.#server).address;
    return sameBytes(own, address);
  }

  #step(): void {
    if (this.#isOver) return;
    const isJudged = this.#isJudged();
    const { client, loop } = this.#options;
    const server = this.#server;
    if (this.#isOver || !this.#isDialled || server === undefined) return;
    // Many servers speak first.
    const states = [this.#in.step(server, client), isJudged ? this.#out.step(client, server) : "wait"] as const;
    const isDone = states.every((state) => state === "done") || this.#endsWithClient && states[1] === "done";
    if (states.includes("broken")) this.#finish({ cut: true });
    else if (isDone) this.#finish({ cut: false });
    else if (states.includes("again")) loop.again(() => this.#step());
  }

  /** Whether what the client sends may pass; reads its first bytes until that is known. */
  #isJudged(): boolean {
    const { sockets, memory, client, judge } = this.#options;
    while (this.#first !== undefined && judge !== undefined) {
      const first = this.#first;
      const read = sockets.receive(client, memory.room.subarray(0, MOST_FIRST_BYTES - first.length));
      if (read === "blocked") return false;
      if ("errno" in read) this.#finish({ cut: true });
      else if (read.bytes === 0 && first.length > 0) this.#refuse({ reason: "was asked for by an unfinished request" });
      else if (read.bytes === 0) this.#first = undefined;
      else this.#decide(judge, concatenate([first, memory.room.subarray(0, read.bytes)]));
      if (this.#isOver) return false;
    }
    return true;
  }

  #decide(judge: Judge, first: Uint8Array<ArrayBuffer>): void {
    const verdict = judge(first);
    if (verdict === "more") {
      if (first.length < MOST_FIRST_BYTES && ++this.#pieces < MOST_PIECES) this.#first = first;
      else this.#refuse({ reason: "was asked for by a request too long to be checked" });
    } else if ("refused" in verdict) this.#refuse(verdict.refused);
    else {
      this.#first = undefined;
      const { pass, further } = verdict;
      this.#out.begin(pass, further && ((bytes) => this.#admit(bytes, further)));
    }
  }

  /** A client that sends more than it may gets its answer first, and must then connect again. */
  #admit(bytes: Uint8Array, further: Admits): number | undefined {
    const count = further(bytes);
    return count !== undefined && count < bytes.length && this.#in.bytes > 0 ? undefined : count;
  }

  #refuse(refused: NetworkRefusal): void {
    this.#finish({ cut: true, refused });
  }

  #finish({ cut, refused }: { readonly cut: boolean; readonly refused?: NetworkRefusal }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { onEnd } = this.#options;
    this.#endDial();
    for (const direction of [this.#out, this.#in]) direction.abandon();
    for (const end of ["client", "server"] as const) this.#close(end, { cut });
    onEnd({
      address: this.#address,
      bytesOut: this.#out.bytes,
      bytesIn: this.#in.bytes,
      ...refused !== undefined && { refused },
    });
  }

  #close(end: "client" | "server", { cut } = { cut: false }): void {
    const { sockets, loop, client } = this.#options;
    const socket = end === "client" ? client : this.#server;
    if (socket === undefined) return;
    loop.remove(socket);
    if (cut) sockets.reset(socket);
    else sockets.close(socket);
    if (end === "server") this.#server = undefined;
  }
}

function unreachable(why: string): NetworkRefusal {
  return { reason: `cannot be reached: ${why}` };
}

const ETIMEDOUT = 110;
const DIAL_ERRORS: Readonly<Record<number, string>> = {
  24: "the server has too many open files",
  101: "no route leads there",
  110: "it does not answer",
  111: "nothing listens there",
  113: "the host is not there",
};
