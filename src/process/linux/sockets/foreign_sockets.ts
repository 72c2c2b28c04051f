/**
 * Unix sockets of other programs in the trees that a session was granted (S6). `--unix-sockets private` covers each of
 * them, so that commands reach their own sockets only. Before every command the kernel is asked which sockets are open.
 *
 * The kernel names a socket as its program did: perhaps relative, or from another root. A socket that is not at its
 * name is searched for where its program sees it, then by inode number in all directories of the trees. If the time
 * does not suffice, it might be anywhere: commands then have no Unix sockets until it is found, or its program ends.
 */
import { isHeldBelow, lookedAtOnce, type SocketSystem } from "../../tree/socket_owner.ts";
import type { FileFacts, Libc } from "../../../system/libc.ts";
import { isWithin, parentOf, realPath } from "../../../system/paths.ts";
import type { ListeningSocket, UnixSockets } from "../../../system/unix_sockets.ts";
import type { GuardedPath, SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import type { GuardView, Looker } from "../../../sandbox/protect/guard_view.ts";
import { isOwnName, type ListDirectory, namesByHolders, SocketSearch } from "./socket_search.ts";

/** Milliseconds. */
export interface SearchTimes {
  /** Search time before the first command, in slices. */
  readonly first: number;
  /** Search time before a later one, in one go. */
  readonly later: number;
  /** Pause after a search that ran out of time. */
  readonly pause: number;
}

const SEARCH_TIMES: SearchTimes = { first: 10_000, later: 1_000, pause: 60_000 };
const SLICE_MS = 20;
/** Search time for sockets whose names say that they were made elsewhere. */
const BRIEF_MS = 100;
const KIND_MASK = 0xf000;
const SOCKET = 0xc000;
/** System trees, which are too large to search and in which programs make no sockets. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib\d*|opt|nix|snap|proc|dev)(?:\/|$)/;

export interface ForeignSocketsOptions {
  readonly sockets: Pick<UnixSockets, "list" | "isAlive">;
  readonly looker: Looker;
  /** Follows sockets that commands move. */
  readonly holder: Pick<Libc, "hold" | "heldPath" | "heldFacts" | "closeDescriptor">;
  readonly system: Pick<SocketSystem, "processes" | "socketsOf" | "parentOf">;
  /** The text of `/proc/self/mountinfo`. */
  readonly mounts: () => string;
  /** The server's process id: sockets of processes below it are the session's own. */
  readonly server: number;
  /** An empty file, seen in place of a socket. */
  readonly cover: string;
  readonly listDirectory: ListDirectory;
  readonly searchTimes?: SearchTimes;
}

/** A path that commands may use. */
type Reach = Pick<SandboxPolicy, "writable" | "grants" | "temporary">;

/** The paths of what commands may use. */
type Paths = Readonly<Record<"writable" | "grants", readonly { readonly path: string }[]>>;

/** Where a socket was found. */
interface Place {
  readonly path: string;
  readonly facts: FileFacts;
}

export class ForeignSockets implements Disposable {
  readonly #options: ForeignSocketsOptions;
  readonly #close: () => void;
  /** By inode number of each open socket: where commands can reach it; empty: nowhere, or it is the session's own. */
  readonly #places = new Map<string, readonly Place[]>();
  /** Sockets that existed at the start, in use or not, in any network namespace. */
  #found: readonly Place[] = [];
  /** Sockets that may be in the trees, but were not found in time. */
  readonly #lost = new Map<string, ListeningSocket>();
  #searchedAt = -Infinity;
  #isClosed = false;
  /** Descriptors of those in reach. */
  readonly #held = new Map<string, number>();
  #listed: readonly ListeningSocket[] = [];
  #devices: ReadonlySet<string> = new Set();
  #mounts = "";
  #covered: readonly GuardedPath[] = [];

  /** `close`: closes the descriptors for queries to the system. */
  constructor(options: ForeignSocketsOptions, close: () => void) {
    this.#options = options;
    this.#close = close;
  }

  /** Ends a search before the first command. */
  stop(): void {
    this.#isClosed = true;
  }

  [Symbol.dispose](): void {
    for (const socket of [...this.#held.keys()]) this.#letGo(socket);
    this.#close();
  }

  /** Whether the kernel lists open sockets: otherwise no socket can be covered. */
  canList(): boolean {
    return this.#options.sockets.list() !== undefined;
  }

  /** Adds everything in the trees that is neither file, directory nor link, before the first command. */
  add(paths: readonly string[]): void {
    this.#found = [...this.#found, ...paths.flatMap((path) => this.#at(path) ?? [])];
  }

  /** What was covered at the last check. */
  get covered(): readonly GuardedPath[] {
    return this.#covered;
  }

  /** Why commands have no Unix sockets since the last check; undefined: they have their own. */
  get closed(): string | undefined {
    const [lost] = this.#lost.values();
    return lost === undefined ? undefined : lostText(lost);
  }

  /** Searches, with more time, for sockets that are not at their names, before the first command. */
  async settle(reach: Reach): Promise<void> {
    const listed = this.#options.sockets.list();
    const wanted = listed === undefined ? [] : this.#locate(listed, reach);
    const first = this.#longest(wanted, reach, this.#times.first);
    const search = this.#searchFor(wanted, reach);
    const until = performance.now() + first;
    while (!search.goOn(Math.min(first, SLICE_MS)).isWhole && !this.#isClosed && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve)); // others have a turn
    }
    this.#conclude(wanted, search, reach);
  }

  /** The current sockets that are not the session's own. @throws {Error} When the kernel does not say. */
  look(reach: Reach): readonly GuardedPath[] {
    const listed = this.#options.sockets.list();
    if (listed === undefined) throw new Error("The kernel does not list Unix sockets at the moment");
    const wanted = this.#locate(listed, reach);
    const search = this.#searchFor(wanted, reach);
    if (this.#isSearchDue) search.goOn(this.#longest(wanted, reach, this.#times.later));
    this.#conclude(wanted, search, reach);
    const ofList = [...this.#places.values()].flat();
    const alive = this.#found.filter((place) =>
      this.#isStill([place]) && !ofList.some(({ path }) => path === place.path) &&
      this.#options.sockets.isAlive(place.path)
    );
    const places = new Map([...ofList, ...alive].map((place) => [place.path, place]));
    const { cover } = this.#options;
    return this.#covered = [...places.values()].flatMap(({ path, facts: { device, inode } }) =>
      namesInside(path, reach).map((name) => ({ path: name, device, inode, treatment: "hidden", cover }))
    );
  }

  get #times(): SearchTimes {
    return this.#options.searchTimes ?? SEARCH_TIMES;
  }

  #longest(wanted: readonly ListeningSocket[], reach: Reach, time: number): number {
    return wanted.some((one) => this.#mayBeInside(one, reach)) ? time : Math.min(time, BRIEF_MS);
  }

  get #isSearchDue(): boolean {
    return performance.now() - this.#searchedAt >= this.#times.pause;
  }

  /** Decides about each socket that is new or has moved; the remaining ones must be searched for. */
  #locate(listed: readonly ListeningSocket[], reach: Reach): readonly ListeningSocket[] {
    if (listed !== this.#listed) this.#follow(listed, reach);
    const isDue = this.#isSearchDue;
    const system = lookedAtOnce(this.#options.system);
    return listed.filter((one) => {
      const { socket } = one;
      const wasLost = this.#lost.has(socket);
      const known = this.#places.get(socket);
      if (known !== undefined && !wasLost && this.#isStill(known)) return false;
      const places = this.#devices.has(one.device) ? this.#placesOf(one, reach, system) : NOWHERE;
      if (places !== undefined) this.#decide(one, places);
      return places === undefined && (!wasLost || isDue);
    });
  }

  #follow(listed: readonly ListeningSocket[], reach: Reach): void {
    const here = new Set(listed.map(({ socket }) => socket));
    for (const known of [this.#places, this.#lost]) {
      for (const one of known.keys()) if (!here.has(one)) known.delete(one);
    }
    for (const socket of [...this.#held.keys()]) if (!here.has(socket)) this.#letGo(socket);
    this.#mounts = this.#options.mounts();
    this.#devices = devicesOf(reach, this.#mounts);
    this.#listed = listed;
  }

  #searchFor(wanted: readonly ListeningSocket[], { writable, grants }: Reach): SocketSearch {
    const trees = [...writable, ...grants].map(({ path }) => path).filter((path) => !SYSTEM.test(path));
    const files = new Set(wanted.map(({ file }) => file));
    return new SocketSearch(wanted.length === 0 ? [] : trees, files, this.#options.listDirectory);
  }

  #conclude(wanted: readonly ListeningSocket[], { found, isWhole }: SocketSearch, reach: Reach): void {
    if (wanted.length === 0) return;
    for (const one of wanted) {
      const places = found.flatMap((path) => this.#at(path) ?? [])
        .filter((place) => isFileOf(place, one) && this.#isOnDevice(place, one));
      const isLost = !isWhole && places.length < (places[0]?.facts.links ?? 1) && this.#mayBeInside(one, reach);
      this.#decide(one, places);
      if (!isLost) continue;
      this.#lost.set(one.socket, one);
      this.#searchedAt = performance.now();
    }
  }

  /** A socket with a name elsewhere was made there, unless its program has another root. */
  #mayBeInside({ name, socket }: ListeningSocket, reach: Reach): boolean {
    return !name.startsWith("/") || isOwnName(name) || isInReach(realName(name), reach) || this.#lost.has(socket) ||
      (this.#places.get(socket)?.length ?? 0) > 0;
  }

  #decide({ socket }: ListeningSocket, places: readonly Place[]): void {
    this.#lost.delete(socket);
    this.#places.set(socket, places);
    const [place] = places;
    const held = place === undefined || this.#held.has(socket) ? undefined : this.#options.holder.hold(place.path);
    if (held !== undefined) this.#held.set(socket, held);
  }

  #letGo(socket: string): void {
    const held = this.#held.get(socket);
    if (held !== undefined) this.#options.holder.closeDescriptor(held);
    this.#held.delete(socket);
  }

  /** Where the socket was moved to, its name, or its first place; undefined: it is at none of these. */
  #named(one: ListeningSocket): Place | undefined {
    const held = this.#held.get(one.socket);
    return this.#fileAt(one, [
      ...held === undefined ? [] : [this.#options.holder.heldPath(held)],
      ...one.name.startsWith("/") ? [realName(one.name)] : [],
      ...this.#found.filter((place) => isFileOf(place, one)).map(({ path }) => path),
    ]);
  }

  #fileAt(one: ListeningSocket, paths: readonly string[]): Place | undefined {
    return paths.map((path) => this.#at(path)).find((place) =>
      place !== undefined && isFileOf(place, one) && this.#isOnDevice(place, one)
    );
  }

  /** Another file system may have a file with the same inode number, which must not be mistaken for this one. */
  #isOnDevice(place: Place, { device }: ListeningSocket): boolean {
    return devicesOf({ writable: [{ path: place.path }], grants: [] }, this.#mounts).has(device);
  }

  /** Where a name of another program leads; undefined: to nothing. The runtime itself would not read /proc. */
  #pathOf(name: string): string | undefined {
    const { holder } = this.#options;
    const held = holder.hold(name);
    if (held === undefined) return undefined;
    try {
      return holder.heldPath(held);
    } finally {
      holder.closeDescriptor(held);
    }
  }

  /** Whether its file was seen, and no longer has a name. */
  #isRemoved(one: ListeningSocket): boolean {
    const held = this.#held.get(one.socket);
    const facts = held === undefined ? undefined : this.#options.holder.heldFacts(held);
    return facts !== undefined && isSocket(facts) && isFileOf({ facts }, one) && facts.links === 0;
  }

  /** Undefined: it must be searched for. */
  #placesOf(
    one: ListeningSocket,
    reach: Reach,
    system: ForeignSocketsOptions["system"],
  ): readonly Place[] | undefined {
    if (this.#isRemoved(one)) return NOWHERE;
    const named = this.#named(one);
    if (named?.facts.links === 1 && !isInReach(named.path, reach)) return NOWHERE;
    if (isHeldBelow(one.socket, this.#options.server, system)) return NOWHERE;
    const place = named ?? this.#fileAt(one, namesByHolders(one, system).flatMap((name) => this.#pathOf(name) ?? []));
    if (place?.facts.links !== 1) return undefined;
    return isInReach(place.path, reach) ? [place] : NOWHERE;
  }

  /** A socket at the path; undefined: there is none. */
  #at(path: string): Place | undefined {
    const facts = this.#options.looker.lookAt(path);
    return facts !== undefined && isSocket(facts) ? { path, facts } : undefined;
  }

  #isStill(places: readonly Place[]): boolean {
    return places.every(({ path, facts }) => {
      const is = this.#options.looker.lookAt(path);
      return is?.device === facts.device && is.inode === facts.inode && is.changedAt === facts.changedAt;
    });
  }
}

const NOWHERE: readonly Place[] = [];

function lostText({ name }: ListeningSocket): string {
  return `Commands have no Unix sockets: a program listens at "${name}", which may be in the project, and there are too ` +
    "many directories to find it. End that program, or start the server with --unix-sockets allow";
}

/** The temp directory is visible at further paths. */
function namesInside(path: string, { temporary }: Reach): readonly string[] {
  if (temporary === undefined || !isWithin(path, temporary.tree.path)) return [path];
  return [path, ...temporary.places.map((place) => `${place}${path.slice(temporary.tree.path.length)}`)];
}

const LOWER_BITS = 0xffff_ffffn;

function isSocket({ mode }: FileFacts): boolean {
  return (mode & KIND_MASK) === SOCKET;
}

function isFileOf({ facts }: Pick<Place, "facts">, { file }: ListeningSocket): boolean {
  return (facts.inode & LOWER_BITS) === BigInt(file);
}

function isInReach(path: string, { writable, grants }: Reach): boolean {
  return [...writable, ...grants].some((one) => isWithin(path, one.path));
}

/** The name with the links on its way followed. */
function realName(path: string): string {
  const directory = realPath(parentOf(path));
  return directory === undefined ? path : `${directory === "/" ? "" : directory}${path.slice(path.lastIndexOf("/"))}`;
}

/** The devices that the granted trees lie on: of the mount that holds each, and of those in it. Lines as in proc(5). */
export function devicesOf({ writable, grants }: Paths, mounts: string): ReadonlySet<string> {
  const mounted = mounts.split("\n").map((line) => line.split(" ")).map(([, , device = "", , at = ""]) => {
    return { device, at: at.replaceAll(/\\(\d{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8))) };
  });
  return new Set(
    [...writable, ...grants].flatMap(({ path }) => {
      const around = mounted.filter(({ at }) => isWithin(path, at)).toSorted((one, other) =>
        other.at.length - one.at.length
      );
      const longest = around[0]?.at;
      return [...around.filter(({ at }) => at === longest), ...mounted.filter(({ at }) => isWithin(at, path))];
    }).map(({ device }) => device),
  );
}

/** The view with covers for sockets, except those inside something already covered. Closed: commands have no sockets of their own. */
export function withCovered(
  view: GuardView,
  { covered, closed }: Pick<ForeignSockets, "covered" | "closed">,
): GuardView {
  const hidden = view.guarded.filter(({ treatment }) => treatment === "hidden");
  const added = covered.filter(({ path }) => !hidden.some((one) => isWithin(path, one.path)));
  if (added.length === 0 && closed === undefined) return view;
  const places = added.map(({ path, device, inode }) => `${path}\0${device}:${inode}`);
  const sockets = [...closed === undefined ? [] : ["closed"], ...places].join("\0");
  return {
    ...view,
    guarded: [...view.guarded, ...added],
    key: `${view.key}\0sockets\0${sockets}`,
    sockets,
    ...closed !== undefined && { closesSockets: true },
  };
}
