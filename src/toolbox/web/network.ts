/** The network of the web worker: the system's resolver, public addresses, and what a person allows. */
import { UserError } from "../../base/errors.ts";
import { addressesOf } from "../../system/network/request_to_address.ts";
import type { WorkerSetup } from "../frame/messages.ts";
import { publicAddresses } from "./public_address.ts";
import type { Network } from "./request.ts";

/** The network as the settings of the server have it. @throws {UserError} When they allow none. */
export async function openNetwork({ web }: WorkerSetup): Promise<Network> {
  if (web?.isOffline === true) throw new UserError("The web cannot be reached: commands have no network (--network)");
  return {
    resolve: addressesOf,
    isPublic: await publicAddresses(),
    allowedHosts: web?.allowedHosts ?? [],
  };
}
