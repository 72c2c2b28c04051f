/** The network of the web worker: the system's resolver, public addresses, and what a person allows. */
import { UserError } from "../../base/errors.ts";
import { isPublicAddress } from "../../system/network/public_address.ts";
import { addressesOf } from "../../system/network/request_to_address.ts";
import type { WorkerSetup } from "../frame/messages.ts";
import type { Network } from "./request.ts";

/** The network as the settings of the server have it. @throws {UserError} When they allow none. */
export function openNetwork({ web }: WorkerSetup): Network {
  if (web?.isOffline === true) throw new UserError("The web cannot be reached: commands have no network (--network)");
  return {
    resolve: addressesOf,
    isPublic: isPublicAddress,
    allowedHosts: web?.allowedHosts ?? [],
  };
}
