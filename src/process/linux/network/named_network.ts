/** The network by name that a session's commands share (S30): made once, kept open, and served by the relay. */
import {
  addressesIn,
  ASKED_PORTS,
  findRule,
  hasName,
  isListedName,
  type NameList,
  portsOf,
} from "../../../base/network/name_list.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import type { PublishedPort } from "../../../base/network/published_port.ts";
import type { EnteredNetwork, Publication } from "../../../relay/publication.ts";
import type { Relay, RelayedNetwork } from "../../../relay/relay.ts";
import type { Terminator } from "../../../relay/terminator.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import { FIRST_LISTENER_FD, type NamedNetworkPlan } from "../../../sandbox/launcher/steps/named_network_steps.ts";
import { addressesOf } from "../../../system/network/request_to_address.ts";
import { dialProblem } from "../../../system/network/dialled_address.ts";
import { bytesOfAddress, type IpAddress } from "../../../system/network/ip_address.ts";
import type { OwnAddresses } from "../../../system/network/own_addresses.ts";
import type { Spawner } from "../../spawn.ts";
import { NetworkUsers } from "./network_users.ts";
import { refusedHost } from "../../../base/network/network_bound.ts";

/** What the network of a policy has; undefined: it has none by name. */
export function planOf(
  { confinement }: SandboxPolicy,
  spawner: Pick<Spawner, "hasIpv6">,
): NamedNetworkPlan | undefined {
  if (confinement.network !== "names") return undefined;
  const literals = addressesIn(confinement.names).flatMap((text) => {
    const address = bytesOfAddress(text);
    return address === undefined ? [] : [{ address, bits: address.length * 8 }];
  });
  return {
    ports: confinement.asks === true && confinement.boundBy === undefined
      ? [...new Set([...listenedPorts(confinement.names), ...ASKED_PORTS])]
      : listenedPorts(confinement.names),
    ranges: [IPV4_RANGE, IPV6_RANGE, ...literals],
    ipv6: spawner.hasIpv6,
  };
}

/** Ports of a list; for an empty list those of the web, so that refusals can be reported. */
export function listenedPorts(names: NameList): readonly number[] {
  return names.length === 0 ? [HTTPS] : portsOf(names);
}

const HTTPS = 443;
const IPV4_RANGE = { address: Uint8Array.of(198, 18, 0, 0), bits: 15 };
const IPV6_RANGE = { address: Uint8Array.of(0x20, 0x01, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), bits: 48 };

/** What serves it. */
export interface NetworkServer {
  readonly relay: Relay;
  readonly users: NetworkUsers;
  readonly terminator: Terminator | undefined;
  /** The addresses of this machine as they are now. */
  readonly own: () => readonly IpAddress[];
}

export interface SessionNetworkOptions {
  readonly logger: Logger;
  /** See `LinuxRunnerOptions`. */
  readonly terminator: Terminator | undefined;
}

/** A published port, and the state of its connections. */
export interface PublicationState extends PublishedPort {
  /** A command listens there; undefined: commands share no network, at least not yet. */
  readonly isHeard: boolean | undefined;
}

/** What serves the network of a session; its code is loaded when it is first needed. Disposal ends all connections. */
export class SessionNetwork implements AsyncDisposable {
  readonly users = new NetworkUsers();
  readonly #options: SessionNetworkOptions;
  #opened: Promise<{ readonly relay: Relay; readonly own: OwnAddresses }> | undefined;
  #published: { readonly ports: readonly PublishedPort[]; readonly publication: Publication } | undefined;
  #entered: EnteredNetwork | undefined;

  constructor(options: SessionNetworkOptions) {
    this.#options = options;
  }

  async server(): Promise<NetworkServer> {
    const onFailure = (thrown: unknown) =>
      this.#options.logger.error("The network by name has failed: commands reach nothing", {
        error: messageOf(thrown),
      });
    this.#opened ??= Promise.all([
      import("../../../relay/relay.ts"),
      import("../../../system/network/own_addresses.ts"),
    ]).then(([{ Relay }, { OwnAddresses }]) => ({
      relay: new Relay({ lookup: addressesOf, onFailure }),
      own: new OwnAddresses(),
    }));
    const { relay, own } = await this.#opened;
    return { relay, users: this.users, terminator: this.#options.terminator, own: () => own.now() };
  }

  /** Leads ports of this machine into it until it is disposed. @throws {UserError} When one is taken. */
  async publish(ports: readonly PublishedPort[]): Promise<void> {
    const { relay } = await this.server();
    const onClosed = (port: PublishedPort, reason: string) =>
      this.#options.logger.info("A connection to a published port was closed", { ...port, reason });
    this.#published = { ports, publication: relay.publish({ ports, onClosed }) };
    if (this.#entered !== undefined) this.#published.publication.enter(this.#entered);
  }

  /** Accepts no more connections of people, and ends the open ones. */
  unpublish(): void {
    this.#published?.publication.close();
  }

  /** Gets the network once commands share one. */
  enter(network: EnteredNetwork): void {
    this.#entered = network;
    this.#published?.publication.enter(network);
  }

  get published(): readonly PublicationState[] {
    return this.#published?.ports.map((port) => ({
      ...port,
      isHeard: this.#entered && this.users.listensAt(port.inside),
    })) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await this.#opened;
    await opened?.relay[Symbol.asyncDispose]();
    opened?.own[Symbol.dispose]();
  }
}

/** Serves the network that `maker` runs in until closed. @throws {Error} When its sockets are not handed over. */
export function serveNetwork(
  maker: number,
  { plan, policy: { confinement }, spawner, server }: {
    readonly plan: NamedNetworkPlan;
    readonly policy: SandboxPolicy;
    readonly spawner: Pick<Spawner, "takeDescriptor">;
    readonly server: NetworkServer;
  },
): RelayedNetwork {
  const { names, privateHosts, boundBy } = confinement;
  const [udp = -1, tcp = -1, ...listeners] = Array.from(
    { length: 2 + plan.ports.length },
    (_, at) => spawner.takeDescriptor(maker, FIRST_LISTENER_FD + at),
  );
  return server.relay.serve({
    dns: { udp, tcp },
    listeners: new Map(plan.ports.map((port, at) => [port, listeners[at] ?? -1])),
  }, {
    reachable: {
      isListed: (name) => isListedName(names, name),
      isNamed: (name) => hasName(names, name),
      find: (host, port) => findRule(names, host, port),
      refusal: (host, port) => refusedHost(host, port, boundBy),
      own: server.own,
      addressProblem: (host, address, own) => {
        const allowsPrivateHosts = host === address || privateHosts.includes(host);
        return dialProblem(address, { allowsPrivateHosts, own });
      },
    },
    hasIpv6: plan.ipv6,
    terminator: server.terminator,
    attribute: (side) => server.users.attribute(side),
  });
}
