/** Changes of resources for subscribers (X5d), collected to limit the number of messages. */
import type { Unsubscribe } from "../../base/emitter.ts";
import { Timers } from "../../base/time.ts";
import type { Operation } from "../../operation/operation_record.ts";
import type { Transition } from "../../operation/registry.ts";
import { isEnded } from "../../operation/operation.ts";
import type { Service } from "../service.ts";
import { OPERATIONS_URI, operationUri, outputUri } from "../result/resource_uri.ts";

export interface ChangeListener {
  /** The resources whose updates are reported; absent: all. */
  readonly subscribed?: Pick<ReadonlySet<string>, "has" | "size">;
  updated(uri: string): void;
  listChanged(): void;
}

export interface ChangeTimes {
  /** Between two rounds of `updated`, milliseconds. */
  readonly updatesMs: number;
  /** Between two of `listChanged`. */
  readonly listMs: number;
}

const TIMES: ChangeTimes = { updatesMs: 500, listMs: 1000 };

/** Reports changes to `listener` from now on: the first at once, later ones collected. */
export function watchResources(
  { registry, onCatalogChange, resources }: Service,
  listener: ChangeListener,
  times: ChangeTimes = TIMES,
): Unsubscribe {
  const changed = new Set<string>();
  const updates = new Gathered(times.updatesMs, () => {
    const uris = [...changed];
    changed.clear();
    for (const uri of uris) listener.updated(uri);
  });
  const list = new Gathered(times.listMs, () => listener.listChanged());
  const watched = new Map<string, Unsubscribe>();
  const { subscribed } = listener;
  const note = (uriOf: () => string) => {
    // Most clients subscribe to nothing.
    if (subscribed?.size === 0) return;
    const uri = uriOf();
    if (subscribed?.has(uri) === false) return;
    changed.add(uri);
    updates.trigger();
  };
  const watchOutput = (operation: Operation) => {
    watched.set(operation.id, operation.watchOutput(() => note(() => outputUri(operation.id))));
  };
  const onTransition = ({ operation, from, to }: Transition) => {
    if (to === "running") watchOutput(operation);
    // If clients cannot be distinguished, none learns of another's work.
    if (!registry.byIdOnly) {
      if (from === undefined) list.trigger();
      note(() => OPERATIONS_URI);
    }
    note(() => operationUri(operation.id));
    if (!isEnded(to)) return;
    note(() => outputUri(operation.id));
    watched.get(operation.id)?.();
    watched.delete(operation.id);
  };
  for (const operation of registry.listActive()) if (operation.state === "running") watchOutput(operation);
  const unsubscribes = [
    registry.subscribe(onTransition),
    registry.subscribeNews(({ id }) => note(() => operationUri(id))),
    onCatalogChange?.(() => list.trigger()),
    ...resources.flatMap((source) => [
      source.onChange(() => list.trigger()),
      source.onUpdate((uri) => note(() => uri)),
    ]),
  ];
  return () => {
    for (const unsubscribe of [...unsubscribes, ...watched.values()]) unsubscribe?.();
    updates.close();
    list.close();
  };
}

/** Calls at once for the first trigger. Later triggers within `intervalMs` cause one call at its end. */
class Gathered {
  readonly #intervalMs: number;
  readonly #call: () => void;
  readonly #timers = new Timers();
  #leave: (() => void) | undefined;
  #again = false;
  #closed = false;

  constructor(intervalMs: number, call: () => void) {
    this.#intervalMs = intervalMs;
    this.#call = call;
  }

  trigger(): void {
    if (this.#closed) return;
    if (this.#leave !== undefined) {
      this.#again = true;
      return;
    }
    // Further changes of this turn are included.
    this.#leave = this.#timers.start(0, () => this.#fire());
  }

  close(): void {
    this.#closed = true;
    this.#leave?.();
  }

  #fire(): void {
    this.#again = false;
    this.#leave = this.#timers.start(this.#intervalMs, () => {
      this.#leave = undefined;
      if (this.#again) this.trigger();
    });
    this.#call();
  }
}
