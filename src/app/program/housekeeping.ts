/** Gives back the memory of the start, and removes the remains of killed sessions, and unused caches. */
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { OperationRegistry } from "../../operation/registry.ts";
import { parentOf } from "../../system/paths.ts";
import { removeStaleSessions } from "../../sandbox/directories/session_directory.ts";
import type { SessionSandbox } from "../../sandbox/settle_paths.ts";
import { removeOldStores } from "../undo/undo_store.ts";
import { removeOldCaches } from "./scope_cache.ts";
import { StartMemory } from "./start_memory.ts";

/** Then a client's first calls, which it would delay, are answered. */
const AFTER_MS = 5_000;

export interface HousekeepingOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly sandbox: Pick<SessionSandbox, "directories" | "writable">;
  readonly registry: Pick<OperationRegistry, "runningCount" | "subscribe">;
  readonly log: Logger;
}

export class Housekeeping implements Disposable {
  readonly #options: HousekeepingOptions;
  readonly #memory: StartMemory;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
    this.#memory = new StartMemory(options.registry);
  }

  /** Has it done in a while; a session that ends before leaves it to the next one. */
  begin(afterMs = AFTER_MS): void {
    this.#timer = setTimeout(() => void this.#keep(), afterMs);
    Deno.unrefTimer(this.#timer);
    this.#memory.begin();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#memory[Symbol.dispose]();
  }

  async #keep(): Promise<void> {
    const { environment, sandbox, log } = this.#options;
    const [sessions, ...kept] = await Promise.allSettled([
      removeStaleSessions(parentOf(sandbox.directories.root)),
      removeOldCaches(environment, sandbox),
      removeOldStores(environment),
    ]);
    if (sessions.status === "fulfilled") { for (const problem of sessions.value.problems) log.warn(problem); }
    else log.warn("Cannot remove the remains of killed sessions", { error: messageOf(sessions.reason) });
    for (const one of kept) {
      if (one.status !== "rejected") continue;
      log.warn("Cannot remove caches that are not used any more", { error: messageOf(one.reason) });
    }
  }
}
