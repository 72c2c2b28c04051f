/** Descriptors of other processes of this user, copied into this one (pidfd_getfd(2)). */
import { words } from "../../base/text.ts";
import { errnoAt, LazyLibrary } from "../c_library.ts";
import { OWN_CALLS } from "../syscalls.ts";

const LIBRARY = words("__errno_location close openPidfd getDescriptor");

/** The C library's functions for it; disposal unloads them. */
export class OtherDescriptors implements Disposable {
  readonly #library = new LazyLibrary(LIBRARY);

  /** A copy of a process's descriptor; the process may close its own. @throws {Error} When the system refuses. */
  take(pid: number, descriptor: number): number {
    const { openPidfd, getDescriptor, close, __errno_location } = this.#library.symbols;
    const { pidfd_open, pidfd_getfd } = OWN_CALLS;
    const pidfd = openPidfd(BigInt(pidfd_open), BigInt(pid), 0n);
    const taken = pidfd < 0n ? pidfd : getDescriptor(BigInt(pidfd_getfd), pidfd, BigInt(descriptor), 0n);
    const errno = taken < 0n ? errnoAt(__errno_location()) : 0;
    if (pidfd >= 0n) close(Number(pidfd));
    if (taken < 0n) throw new Error(`The system does not hand a descriptor over (pidfd_getfd, errno ${errno})`);
    return Number(taken);
  }

  [Symbol.dispose](): void {
    this.#library[Symbol.dispose]();
  }
}
