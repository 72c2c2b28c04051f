/** Issues, memos and the task list as resources (K6). A worker reads them, so the server opens none of the files. */
import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { percentDecoded } from "../../base/text.ts";
import type { ArgumentRequest, Completion } from "../../service/prompts/prompt_source.ts";
import type { ListedResources, ResourceRefusal, ResourceSource } from "../../service/resource_source.ts";
import { member, parseJson } from "../../wire/json_value.ts";
import { LIST_NOTES, READ_NOTE } from "../definition/question.ts";
import type { ToolArguments } from "../frame/messages.ts";
import type { WorkerLink } from "../link/worker_link.ts";

export type NoteKind = "issues" | "memos";

const MIME_TYPE = "text/markdown";
/** The list of tasks, as `todo_list` gives it. */
const TASKS = { uri: "ahma://todo", name: "todo", title: "Tasks", mimeType: "text/plain" } as const;
const TITLES: Readonly<Record<NoteKind, string>> = { issues: "One issue", memos: "One memo" };
/** Time limit for a request to the worker, milliseconds. */
const LONGEST_MS = 60_000;

interface ListedNote {
  readonly name: string;
  readonly title: string;
}

export interface NoteResourcesOptions {
  readonly kinds: readonly NoteKind[];
  /** Whether the task list is a resource too. */
  readonly tasks: boolean;
  readonly worker: Pick<WorkerLink, "call">;
  /** Calls the listener when any program may have changed note files, until disposal. */
  readonly watch: (onChange: () => void) => AsyncDisposable;
  /** Receives errors of listeners and of looks for changes. */
  readonly onError: (thrown: unknown) => void;
}

export class NoteResources implements ResourceSource, AsyncDisposable {
  readonly #options: NoteResourcesOptions;
  readonly #changes: Emitter<undefined>;
  readonly #updates: Emitter<string>;
  /** Subscribed URIs with their number of subscribers and last text. */
  readonly #followed = new Map<string, { count: number; text: string | undefined }>();

  /** How many subscriptions are being set up. */
  #beginning = 0;
  /** Present while there are subscriptions. */
  #watch: AsyncDisposable | undefined;
  /** The running look at subscribed notes; `again`: something changed since it began. */
  #look: { again: boolean } | undefined;

  constructor(options: NoteResourcesOptions) {
    this.#options = options;
    this.#changes = new Emitter(options.onError);
    this.#updates = new Emitter(options.onError);
  }

  async list(): Promise<ListedResources> {
    const { kinds, tasks } = this.#options;
    const lists = await Promise.all(kinds.map(async (kind) => {
      const noun = kind.slice(0, -1);
      const notes = await this.#notes(kind);
      return notes.map(({ name, title }) => (
        { uri: addressOf(kind, name), name: `${noun} ${name}`, title, mimeType: MIME_TYPE }
      ));
    }));
    const templates = kinds.map((kind) => ({
      uriTemplate: templateOf(kind),
      name: kind.slice(0, -1),
      title: TITLES[kind],
      mimeType: MIME_TYPE,
    }));
    return { resources: [...lists.flat(), ...tasks ? [TASKS] : []], templates };
  }

  owns(uri: string): boolean {
    return this.#areTasks(uri) ||
      this.#options.kinds.some((kind) => uri.startsWith(addressOf(kind, "")) || uri === templateOf(kind));
  }

  async read(uri: string, signal: AbortSignal): Promise<Outcome<ReadResourceResult, ResourceRefusal>> {
    const text = await this.#text(uri, signal);
    if (text === undefined) return notFound(uri);
    return success({ contents: [{ uri, mimeType: this.#areTasks(uri) ? TASKS.mimeType : MIME_TYPE, text }] });
  }

  async complete({ name, typed }: ArgumentRequest): Promise<Outcome<Completion, ResourceRefusal>> {
    const kind = this.#options.kinds.find((one) => templateOf(one) === name);
    const notes = kind === undefined ? [] : await this.#notes(kind);
    const values = notes.map((note) => note.name).filter((one) => one.startsWith(typed.toLowerCase()));
    return success({ values, total: values.length });
  }

  async follow(uri: string): Promise<Outcome<Unsubscribe, ResourceRefusal>> {
    // Watching begins before the text is read, so that no change is missed.
    this.#watch ??= this.#options.watch(() => this.#changed());
    this.#beginning++;
    try {
      const text = await this.#text(uri, AbortSignal.timeout(LONGEST_MS));
      if (text === undefined) return notFound(uri);
      const known = this.#followed.get(uri) ?? { count: 0, text };
      this.#followed.set(uri, { ...known, count: known.count + 1 });
    } finally {
      this.#beginning--;
      this.#endWatch();
    }
    return success(() => {
      const now = this.#followed.get(uri);
      if (now === undefined || now.count <= 1) this.#followed.delete(uri);
      else this.#followed.set(uri, { ...now, count: now.count - 1 });
      this.#endWatch();
    });
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#changes.subscribe(listener);
  }

  onUpdate(listener: (uri: string) => void): Unsubscribe {
    return this.#updates.subscribe(listener);
  }

  /** Must be called after a tool that may change notes; compares the subscribed notes with their last texts. */
  async called(tool: string): Promise<void> {
    if (/^(?:issue|memo)_(?:create|delete)$/.test(tool)) this.#changes.emit(undefined);
    await this.#compare();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#followed.clear();
    const watch = this.#watch;
    this.#watch = undefined;
    await watch?.[Symbol.asyncDispose]();
  }

  /** Many events of one change need at most two looks. */
  #changed(): void {
    if (this.#look !== undefined) {
      this.#look.again = true;
      return;
    }
    this.#look = { again: false };
    this.#compare().catch(this.#options.onError).finally(() => {
      const isLate = this.#look?.again === true;
      this.#look = undefined;
      if (isLate) this.#changed();
    });
  }

  #endWatch(): void {
    if (this.#followed.size + this.#beginning > 0) return;
    this[Symbol.asyncDispose]().catch(this.#options.onError);
  }

  async #compare(): Promise<void> {
    for (const uri of [...this.#followed.keys()]) {
      const text = await this.#text(uri, AbortSignal.timeout(LONGEST_MS));
      const known = this.#followed.get(uri);
      if (known === undefined || known.text === text) continue;
      this.#followed.set(uri, { ...known, text });
      this.#updates.emit(uri);
    }
  }

  #notes(kind: NoteKind): Promise<readonly ListedNote[]> {
    return listedNotes(this.#options.worker, kind, AbortSignal.timeout(LONGEST_MS));
  }

  #areTasks(uri: string): boolean {
    return this.#options.tasks && uri === TASKS.uri;
  }

  async #text(uri: string, signal: AbortSignal): Promise<string | undefined> {
    if (this.#areTasks(uri)) return await askWorker(this.#options.worker, "todo_list", {}, signal);
    const kind = this.#options.kinds.find((one) => uri.startsWith(addressOf(one, "")));
    if (kind === undefined) return undefined;
    const name = percentDecoded(uri.slice(addressOf(kind, "").length));
    return await askWorker(this.#options.worker, READ_NOTE, { kind, name }, signal);
  }
}

/** The text of a worker's answer; undefined: it is an error, or has no text. */
export async function askWorker(
  worker: Pick<WorkerLink, "call">,
  tool: string,
  args: ToolArguments,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { content, isError } = await worker.call(tool, args, { signal });
  const text = member(content[0], "text");
  return isError === true || typeof text !== "string" ? undefined : text;
}

/** All notes of a kind; empty: the worker failed. */
export async function listedNotes(
  worker: Pick<WorkerLink, "call">,
  kind: string,
  signal: AbortSignal,
): Promise<readonly ListedNote[]> {
  const read = parseJson(await askWorker(worker, LIST_NOTES, { kind }, signal) ?? "");
  return (read.ok && Array.isArray(read.value) ? read.value : []).flatMap((one: unknown) => {
    const [name, title] = [member(one, "name"), member(one, "title")];
    return typeof name === "string" && typeof title === "string" ? [{ name, title }] : [];
  });
}

function notFound(uri: string): Outcome<never, ResourceRefusal> {
  return failure({ missing: true, message: `Resource not found: ${uri.slice(0, 200)}` });
}

function addressOf(kind: NoteKind, name: string): string {
  return `ahma://${kind}/${encodeURIComponent(name)}`;
}

function templateOf(kind: NoteKind): string {
  return `ahma://${kind}/{name}`;
}
