/**
 * The end of threads (K2, K3). The runtime does not stop one that is in the middle of its work: that one goes on until its
 * process ends.
 */

/** Of the process, because it is the process that must end. */
const LEFT = "ahma-thread-left";

/** Ends a thread. `isWorking`: it has not answered, so that its process should end soon. */
export function endThread(thread: Worker, { isWorking }: { readonly isWorking: boolean }): void {
  thread.terminate();
  if (isWorking) globalThis.dispatchEvent(new Event(LEFT));
}

/** Calls `listener` each time that a thread of this process is left at its work. */
export function onThreadLeft(listener: () => void): void {
  globalThis.addEventListener(LEFT, listener);
}
