/**
 * Decides which process may begin an isolated session (S6). A command of this server may not: it would get another
 * directory than its sandbox grants.
 */
import { holderOf, type SocketHolder, type SocketSystem } from "../../process/tree/socket_owner.ts";
import type { PeerProblem } from "../http_server.ts";

/** Refuses connections of this server's own commands. `token`: requests must carry one, which no command can read. */
export function refuseOwnCommands(
  { system, token }: { readonly system: SocketSystem; readonly token: boolean },
): PeerProblem {
  const server = { server: Deno.pid, uid: Deno.uid() ?? 0 };
  return (peer, ownPort) => admissionProblem(holderOf({ peerPort: peer.port, ownPort }, server, system), token);
}

/** Why this holder of the other end may begin no session; undefined: it may. Pure. */
export function admissionProblem(holder: SocketHolder, token: boolean): string | undefined {
  if (holder === "ours") {
    return "the connection comes from one of this server's own commands, which may begin no session";
  }
  // A client in a container or on another machine is always unknown; the token proves that it is not a command.
  if (holder === "others" || token) return undefined;
  return "the process at the other end of the connection cannot be determined, and one of this server's own commands " +
    "may begin no session. Start the server with --require-token";
}
