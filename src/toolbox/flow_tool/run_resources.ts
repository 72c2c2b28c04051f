/** Runs of flows as resources (K7, C4). */
import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { ArgumentRequest, Completion } from "../../service/prompts/prompt_source.ts";
import type { ListedResources, ResourceRefusal, ResourceSource } from "../../service/resource_source.ts";
import type { RunStore } from "../flow/run_store.ts";
import { runFacts } from "./flow_texts.ts";

const PREFIX = "ahma://flows/";
const TEMPLATE = `${PREFIX}{run_id}`;
const MIME_TYPE = "application/json";

export class RunResources implements ResourceSource {
  readonly #store: RunStore;
  readonly #changes: Emitter<undefined>;
  readonly #updates: Emitter<string>;
  /** Runs that this server has saved. */
  readonly #saved = new Set<string>();

  /** `onError` receives what a listener threw. */
  constructor(store: RunStore, onError: (thrown: unknown) => void) {
    this.#store = store;
    this.#changes = new Emitter(onError);
    this.#updates = new Emitter(onError);
  }

  /** Must be called after a run was saved. */
  saved(id: string): void {
    if (!this.#saved.has(id)) this.#changes.emit(undefined);
    this.#saved.add(id);
    this.#updates.emit(PREFIX + id);
  }

  async list(): Promise<ListedResources> {
    const runs = await this.#store.listSeen(Date.now());
    return {
      resources: runs.map(({ id, flow, status }) => ({
        uri: PREFIX + id,
        name: `run ${id}`,
        title: `${flow}, ${status}`,
        mimeType: MIME_TYPE,
      })),
      templates: [{ uriTemplate: TEMPLATE, name: "run", title: "One run of a flow", mimeType: MIME_TYPE }],
    };
  }

  owns(uri: string): boolean {
    return uri.startsWith(PREFIX);
  }

  async read(uri: string): Promise<Outcome<ReadResourceResult, ResourceRefusal>> {
    const run = await this.#store.read(uri.slice(PREFIX.length));
    if (!run.ok) return failure({ missing: true, message: run.problem });
    const seen = await this.#store.seen(run.value);
    return success({
      contents: [{ uri, mimeType: MIME_TYPE, text: JSON.stringify(runFacts(seen, { verbose: true })) }],
    });
  }

  async complete({ typed }: ArgumentRequest): Promise<Outcome<Completion, ResourceRefusal>> {
    const ids = (await this.#store.list(Date.now())).map(({ id }) => id);
    const values = ids.filter((id) => id.startsWith(typed.toUpperCase()));
    return success({ values, total: values.length });
  }

  async follow(uri: string): Promise<Outcome<Unsubscribe, ResourceRefusal>> {
    const read = await this.read(uri);
    // Announces only runs that this server changes.
    return read.ok ? success(() => {}) : read;
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#changes.subscribe(listener);
  }

  onUpdate(listener: (uri: string) => void): Unsubscribe {
    return this.#updates.subscribe(listener);
  }
}
