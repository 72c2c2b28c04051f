/** Stores the definitions of each server in a private file in the user's state directory (O6). */
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { expected } from "../../system/paths.ts";
import { readTextIfRegular } from "../../system/reading/regular_file.ts";
import { isPrivate, writePrivately } from "../../system/replace/private_file.ts";
import { isObject, parseJson } from "../../wire/json_value.ts";
import type { Definition } from "./definition.ts";
import { storedDefinitions } from "./items.ts";
import { itemsOf, type ServerRecord } from "./pins.ts";
import type { ServerSpec } from "../config/server_spec.ts";

const LARGEST_FILE = 16 * 1024 * 1024;

/** A name for a server that changes with its command line or address, and not with its key (O6). */
export async function serverIdentity(spec: ServerSpec): Promise<string> {
  const facts = spec.kind === "http"
    ? ["http", spec.url.shown]
    : ["stdio", spec.command.shown, ...spec.args.map(({ shown }) => shown), spec.directory ?? ""];
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(facts.join("\0")));
  return new Uint8Array(digest).toHex().slice(0, 16);
}

export class RecordStore {
  readonly #directory: string;
  readonly #log: Logger;

  /** `directory`: one that no command can write to; it is made when something is kept. */
  constructor(directory: string, log: Logger) {
    this.#directory = directory;
    this.#log = log;
  }

  get directory(): string {
    return this.#directory;
  }

  /** Undefined: nothing is known of the server, or this program did not write the file. */
  read(id: string): ServerRecord | undefined {
    return readRecord(this.#fileOf(id), (file) => readTextIfRegular(file, LARGEST_FILE));
  }

  /** The small part that starts need, from its own file, without `node:fs`, which delays `initialize`. */
  readInstructions(id: string): ServerRecord | undefined {
    return readRecord(this.#instructionsOf(id), (file) => Deno.readTextFileSync(file));
  }

  /** Replaces the record; a failure is logged, and the next start then asks the server again. */
  async write(id: string, record: ServerRecord): Promise<void> {
    const brief = instructionsIn(record);
    const isNeeded = brief.seen.length > 0 || this.readInstructions(id) !== undefined;
    await this.#replace(this.#fileOf(id), record);
    if (isNeeded) await this.#replace(this.#instructionsOf(id), brief);
  }

  async #replace(file: string, record: ServerRecord): Promise<void> {
    try {
      await writePrivately(file, JSON.stringify({ version: 1, ...record }));
    } catch (thrown) {
      this.#log.warn("Cannot store the offers of a server", { error: messageOf(thrown) });
    }
  }

  #fileOf(id: string): string {
    return `${this.#directory}/${id}.json`;
  }

  #instructionsOf(id: string): string {
    return `${this.#directory}/${id}.instructions.json`;
  }
}

function instructionsIn({ seen, pinned, added }: ServerRecord): ServerRecord {
  const own = (record: readonly Definition[]) => itemsOf({ seen: record }, "instructions");
  return { seen: own(seen), pinned: own(pinned), added: added.filter((name) => name === "instructions") };
}

function readRecord(file: string, read: (file: string) => string | undefined): ServerRecord | undefined {
  const seen = expected(() => Deno.lstatSync(file));
  if (seen?.isFile !== true || !isPrivate(seen)) return undefined;
  const parsed = parseJson(expected(() => read(file)) ?? "");
  if (!parsed.ok || !isObject(parsed.value) || parsed.value["version"] !== 1) return undefined;
  const { seen: last, pinned, added } = parsed.value;
  return {
    seen: storedDefinitions(last),
    pinned: storedDefinitions(pinned),
    added: Array.isArray(added) ? added.filter((name) => typeof name === "string") : [],
  };
}
