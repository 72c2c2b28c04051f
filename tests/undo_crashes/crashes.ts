/**
 * Kills the server with `--undo` at random moments: in a first look, in an operation and in an undo. Then each file is in
 * one of its two states, and the next server reads the store, takes the operation back and leaves no draft (S39).
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { storeOf } from "../attacks/undo/store.ts";
import { processesWith } from "../_support/processes.ts";
import { ServerProcess } from "../_support/server_process.ts";
import { Workbench } from "../_support/workbench.ts";

/** In what the server is killed. */
export const PHASES = ["operation", "undo", "look"] as const;
type Phase = typeof PHASES[number];

/** Paths below the scope with what is there; of directories only that they are there. */
type Facts = ReadonlyMap<string, string>;

const DIRECTORIES = 6;
const FILES = 20;
const FLAGS = ["--undo", "--inline-wait", "120000"];
/** Removes, alters, closes and adds files. Its files are whole at any moment, so that an undo never sees a third state. */
const LINE = `rm -r d0 d1; for f in d2/*; do sed s/old/new/ $f > tmp && chmod 644 tmp && mv tmp $f; done; chmod 700 d3/*
mkdir n; for i in $(seq 30); do echo added > tmp && mv tmp n/$i; done; ln -sfn d5 link`;

export interface Killed {
  readonly phase: Phase;
  /** Milliseconds after the phase began. */
  readonly after: number;
  /** Paths that were in their later state when the server died, and those that were in their earlier one. */
  readonly later: number;
  readonly earlier: number;
}

export class Crashes implements AsyncDisposable {
  readonly #bench = new Workbench("ordinary");
  readonly #report: (killed: Killed) => void;
  #server: ServerProcess | undefined;
  #generation = 0;
  #kills = 0;
  /** Milliseconds that each phase took when the server was not killed. */
  readonly #lasts = new Map<Phase, number>();

  constructor(report: (killed: Killed) => void) {
    this.#report = report;
  }

  /** One after the other, each in another phase. */
  async kill(times: number): Promise<void> {
    if (this.#lasts.size === 0) await this.#measure();
    for (let at = 0; at < times; at++) {
      await this.#once(PHASES[this.#kills % PHASES.length] ?? "look", this.#kills);
      this.#kills++;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    this.#bench[Symbol.dispose]();
  }

  async #started(): Promise<ServerProcess> {
    return this.#server ??= await ServerProcess.start(this.#bench, { flags: FLAGS });
  }

  async #ended(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    this.#server = undefined;
  }

  /** How long each phase lasts; the tree is as it was afterwards. */
  async #measure(): Promise<void> {
    this.#write();
    const server = await this.#started();
    const begun = performance.now();
    await server.call("changes");
    const looked = performance.now();
    const operation_id = await operated(server, ": whole;");
    const changed = performance.now();
    await server.call("changes", { operation_id, action: "undo" });
    this.#lasts.set("look", looked - begun).set("operation", changed - looked).set("undo", performance.now() - changed);
  }

  async #once(phase: Phase, number: number): Promise<void> {
    if (phase === "look") {
      await this.#ended();
      this.#write();
    }
    const server = await this.#started();
    if (phase !== "look") await server.call("changes");
    const before = this.#facts();
    const name = `: kill-${number};`;
    const operation = phase === "undo" ? await operated(server, name) : undefined;
    const after = phase === "undo" ? this.#facts() : before;
    const delay = Math.random() * 1.1 * (this.#lasts.get(phase) ?? 0);
    const killing = this.#killAfter(delay, { isAll: number % 2 === 0 });
    // The server dies before it answers, or after.
    const asked = phase === "operation"
      ? server.start(`${name} ${LINE}`)
      : phase === "undo"
      ? server.call("changes", { operation_id: operation, action: "undo" })
      : undefined;
    await Promise.allSettled([asked, killing]);
    await server.exit();
    await this.#ended();
    const seen = this.#facts();
    const later = statesOf(seen, before, phase === "operation" ? undefined : after);
    this.#report({ phase, after: delay, later, earlier: before.size - later });
    await this.#comesBack(before, name);
  }

  /** The next server finds what was begun, and takes it back. */
  async #comesBack(before: Facts, name: string): Promise<void> {
    const server = await this.#started();
    const { text } = await server.call("changes");
    const line = text.split("\n").find((one) => one.includes(`sandboxed_shell: ${name}`));
    const [operation_id] = line?.split(" ") ?? [];
    const { text: done } = operation_id === undefined
      ? { text: "no operation" }
      : await server.call("changes", { operation_id, action: "undo" });
    assert.deepEqual([...this.#facts()], [...before], `${text}\n${done}`);
    const store = storeOf(this.#bench) ?? assert.fail("there is no store");
    const journals = Array.from(Deno.readDirSync(`${store}/journals`)).filter(({ name }) => name.endsWith(".journal"));
    assert.equal(journals.length, 1);
    for (const { name } of Deno.readDirSync(`${store}/objects`)) {
      const bytes = name.startsWith(".") ? undefined : Deno.readFileSync(`${store}/objects/${name}`);
      if (bytes !== undefined) assert.equal(createHash("sha256").update(bytes).digest("hex"), name);
    }
  }

  /** The server alone, or with all that it started. */
  async #killAfter(milliseconds: number, { isAll }: { readonly isAll: boolean }): Promise<void> {
    const all = (await processesWith(this.#bench.marker)).map(({ pid }) => pid);
    const pids = isAll ? all : [this.#server?.pid ?? 0];
    const line = `sleep ${(milliseconds / 1000).toFixed(4)}; kill -9 ${pids.join(" ")} 2>/dev/null; true`;
    await new Deno.Command("sh", { args: ["-c", line] }).output();
  }

  /** Files with contents that no store has yet. */
  #write(): void {
    this.#generation++;
    for (let directory = 0; directory < DIRECTORIES; directory++) {
      for (let file = 0; file < FILES; file++) {
        this.#bench.write(`d${directory}/${file}`, `old ${this.#generation} ${directory} ${file}\n`);
      }
    }
    this.#bench.write("d4/large", `${this.#generation}\n`.repeat(1_000_000));
  }

  #facts(directory = this.#bench.scope, found = new Map<string, string>()): Facts {
    for (const { name } of [...Deno.readDirSync(directory)].toSorted((one, other) => one.name < other.name ? -1 : 1)) {
      const path = `${directory}/${name}`;
      const { isSymlink, isDirectory, mode, mtime } = Deno.lstatSync(path);
      if (isSymlink) found.set(path, `link ${Deno.readLinkSync(path)}`);
      else if (isDirectory) this.#facts(path, found.set(path, "directory"));
      else found.set(path, `${mode} ${mtime?.getTime()} ${Deno.readTextFileSync(path).slice(0, 50)}`);
    }
    return found;
  }
}

async function operated(server: ServerProcess, name: string): Promise<string> {
  const { text } = await server.shell(`${name} ${LINE}`);
  return /op_\w+/.exec(text)?.[0] ?? assert.fail(text);
}

/** How many paths are in their later state; drafts of the killed undo aside, each is in one of the two. */
function statesOf(seen: Facts, before: Facts, after: Facts | undefined): number {
  const paths = new Set([...before.keys(), ...seen.keys(), ...after?.keys() ?? []]);
  const others = [...paths].filter((path) => !path.includes("/.ahma-undo-") && seen.get(path) !== before.get(path));
  if (after !== undefined) {
    const third = others.filter((path) => seen.get(path) !== after.get(path));
    assert.deepEqual(third.map((path) => [path, before.get(path), after.get(path), seen.get(path)]), []);
  }
  return others.length;
}
