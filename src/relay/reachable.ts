/** What the commands of a network may reach, as its relay asks. */
import type { NetworkRefusal } from "../base/command/network_use.ts";
import type { DialProblem } from "../system/network/dialled_address.ts";
import type { IpAddress } from "../system/network/ip_address.ts";

/** What a list says about a host. */
export interface ListedHost {
  /** Any protocol may be spoken there. */
  readonly anyProtocol: boolean;
}

/** What the commands of a network may reach. */
export interface Reachable {
  /** Whether a name (in lower case) is listed on some port. */
  readonly isListed: (name: string) => boolean;
  /** Whether the list has this very name, on some port. */
  readonly isNamed: (name: string) => boolean;
  /** Undefined: it is not listed on this port. */
  readonly find: (host: string, port: number) => ListedHost | undefined;
  /** Why a host that is not listed is refused; without a port, a name that is listed on none. */
  readonly refusal: (host: string, port?: number) => NetworkRefusal;
  /** The kind of an address that may not be dialled; undefined: it may. `own`: addresses of this machine. */
  readonly addressProblem: (host: string, address: string, own: readonly IpAddress[]) => DialProblem | undefined;
  /** The addresses of this machine's interfaces as they are now: the same object while they stay. */
  readonly own: () => readonly IpAddress[];
}
