/** Asks this machine about Unix sockets, for one session. */
import { Libc } from "../../../system/libc.ts";
import { UnixSockets } from "../../../system/unix_sockets.ts";
import type { Looker } from "../../../sandbox/protect/guard_view.ts";
import type { Sandbox } from "../../../sandbox/prepare_linux.ts";
import { systemSockets } from "../../tree/socket_owner.ts";
import { ForeignSockets, type SearchTimes } from "./foreign_sockets.ts";

export interface OpenSocketsOptions {
  readonly sandbox: Sandbox;
  readonly looker: Looker;
  readonly searchTimes?: SearchTimes;
}

/** Loads nothing before the first call. */
export function openForeignSockets({ sandbox, looker, searchTimes }: OpenSocketsOptions): ForeignSockets {
  const libc = new Libc();
  const sockets = new UnixSockets();
  return new ForeignSockets({
    sockets,
    looker,
    holder: libc,
    listDirectory: (path) => libc.searched(path),
    system: systemSockets(libc),
    mounts: () => libc.readProc("/proc/self/mountinfo", { whole: true }) ?? "",
    server: Deno.pid,
    cover: sandbox.guard?.covers.file ?? "",
    ...searchTimes !== undefined && { searchTimes },
  }, () => {
    sockets[Symbol.dispose]();
    libc[Symbol.dispose]();
  });
}
