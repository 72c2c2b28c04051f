/**
 * Repositories' configuration between commands and git outside (S24). Commands see a link to a shared copy, which they
 * may change; git outside then sees the harmless changes.
 */
import type { ProtectedChange } from "../../../base/command/protected_change.ts";
import { sameBytes } from "../../../base/bytes.ts";
import { attempt } from "../../../base/errors.ts";
import { type ConfigEntries, sameValues } from "../../../sandbox/git_config/config_entries.ts";
import { type ConfigEdit, judgeChanges } from "../../../sandbox/git_config/config_changes.ts";
import type { PinnedDirectory } from "../../../sandbox/policy/policy.ts";
import type { GuardView, WatchingLooker } from "../../../sandbox/protect/guard_view.ts";
import type { ProtectedPath } from "../../../sandbox/protect/protected_paths.ts";
import type { ChangeWatch } from "../../../system/stat_watch.ts";
import type { FileCalls } from "../../../system/open_files/file_calls.ts";
import { isWithin, parentOf } from "../../../system/paths.ts";
import type { ConfigEditor } from "./edit_config.ts";
import { type ConfigFile, type ConfigPlace, readConfig, replaceCopy, writeInPlace } from "./config_files.ts";
import type { OwnChanges } from "../../../sandbox/protect/path_snapshot.ts";

/** How many repositories have a copy; commands cannot write the configuration of others. */
const MOST_REPOSITORIES = 32;
/** Configuration of a repository, or of a submodule. */
const CONFIG_PATH = /\/\.git\/(?:modules\/.+\/)?config$/;
/** Below the temp directory; a hidden name, which listings of files omit. */
export const COPIES = ".git-config";
/** Of one repository, between two commands that change its configuration. */
const MOST_UNREAD = 64;
/** Edits for one command: each takes git some three milliseconds. */
const MOST_EDITS = 64;
/** The real file may change while git edits a copy of it. */
const MOST_TRIES = 3;
const UNREADABLE = "all of it: git cannot read it";

export interface ConfigBrokerOptions {
  /** Canonical trees that commands can write to. */
  readonly trees: readonly PinnedDirectory[];
  /** Begins the names of its copies and links. */
  readonly name: string;
  /** The session's temp directory, which holds the copies. */
  readonly temporary: PinnedDirectory;
  /** Shown to commands, and written by the server alone: it holds the links. */
  readonly files: string;
  readonly calls: Pick<FileCalls, "begin">;
  readonly looker: Pick<WatchingLooker, "lookAt" | "watch">;
  readonly editor: Pick<ConfigEditor, "entriesOf" | "edited">;
  readonly ownChanges: OwnChanges;
}

/** One repository's. */
interface Brokered {
  readonly path: string;
  readonly real: ConfigPlace;
  readonly copy: ConfigPlace;
  /** The link that commands see. */
  readonly link: string;
  /** The first value of each key that did not come from a command. */
  first: ConfigEntries;
  /** States of the real file that `first` does not know yet. */
  unread: readonly Uint8Array[];
  /** The real file as the copy follows it. */
  known: ConfigFile;
  /** The copy when it was last judged. */
  judged: Uint8Array;
}

export class ConfigBroker {
  readonly #options: ConfigBrokerOptions;
  readonly #brokered = new Map<string, Brokered>();
  #watch: ChangeWatch | undefined;
  /** Events for the same paths since the copies were last updated. */
  #followWatch: ChangeWatch | undefined;
  /** The state that they followed then. */
  #followed: GuardView["seen"] | undefined;
  #settling: Promise<readonly ProtectedChange[]> = Promise.resolve([]);

  constructor(options: ConfigBrokerOptions) {
    this.#options = options;
  }

  /** The link that stands in the place of each file, by path. */
  get links(): ReadonlyMap<string, string> {
    return new Map(this.#brokered.values().map(({ path, link }) => [path, link]));
  }

  /** Copies the configuration files among `paths` that have no copy yet. */
  add(paths: readonly ProtectedPath[]): void {
    for (const { path } of paths) {
      if (!CONFIG_PATH.test(path) || this.#brokered.has(path) || this.#brokered.size >= MOST_REPOSITORIES) continue;
      const made = attempt(Error, () => this.#make(path));
      if (made === undefined) continue; // as before: commands see the file itself, read-only
      this.#brokered.set(path, made);
      this.#watch?.close?.();
      this.#followWatch?.close?.();
      this.#watch = this.#followWatch = undefined;
    }
  }

  /** Updates the copies of real files that other programs changed, and restores copies that a command removed. */
  follow({ seen }: Pick<GuardView, "seen">): void {
    if (this.#brokered.size === 0) return;
    this.#followWatch ??= this.#watchCopies();
    const isSame = this.#followWatch.isUnchanged() && seen === this.#followed;
    if (isSame) return;
    this.#followed = seen;
    for (const one of this.#brokered.values()) {
      const isKnown = seen.get(one.path) === one.known.fingerprint;
      if (isKnown && this.#options.looker.lookAt(`${one.copy.tree.path}/${one.copy.directory}/config`) !== undefined) {
        continue;
      }
      using files = this.#options.calls.begin();
      const real = isKnown ? one.known : readConfig(files, one.real);
      const copy = readConfig(files, one.copy);
      // A change that is not judged yet is judged first; a file that git no longer uses stays unchanged.
      const mayFollow = real !== undefined && (copy === undefined || sameBytes(copy.content, one.judged));
      if (mayFollow && !isKnown) one.unread = [...one.unread, real.content].slice(-MOST_UNREAD);
      if (!mayFollow || replaceCopy(files, one.copy, real.content) === undefined) {
        this.#followed = undefined; // it is tried again before the next command
        continue;
      }
      one.known = real;
      one.judged = real.content;
    }
  }

  /** Adopts what commands changed; returns what is not adopted. Undefined: nothing changed. */
  settle(): Promise<readonly ProtectedChange[]> | undefined {
    if (this.#brokered.size === 0) return undefined;
    this.#watch ??= this.#watchCopies();
    if (this.#watch.isUnchanged()) return undefined;
    const turn = () => this.#settleAll();
    return this.#settling = this.#settling.then(turn, turn);
  }

  #watchCopies(): ChangeWatch {
    const copies = this.#brokered.values().map(({ copy }) => `${copy.tree.path}/${copy.directory}/config`);
    return this.#options.looker.watch(copies.toArray());
  }

  #make(path: string): Brokered | undefined {
    const { trees, name, temporary, files: shown, calls } = this.#options;
    const tree = trees.find((one) => isWithin(path, one.path));
    if (tree === undefined) return undefined;
    const real = { tree, directory: parentOf(path).slice(tree.path.length + 1) };
    const copyName = `${name}${this.#brokered.size + 1}`;
    const copy = { tree: temporary, directory: `${COPIES}/${copyName}` };
    using files = calls.begin();
    const known = readConfig(files, real);
    if (known === undefined || replaceCopy(files, copy, known.content) === undefined) return undefined;
    const link = `${shown}/git-config-${copyName}`;
    Deno.symlinkSync(`${temporary.path}/${copy.directory}/config`, link);
    return { path, real, copy, link, first: new Map(), unread: [known.content], known, judged: known.content };
  }

  async #settleAll(): Promise<readonly ProtectedChange[]> {
    const dropped: ProtectedChange[] = [];
    for (const one of this.#brokered.values()) {
      const copy = this.#copyOf(one);
      if (copy === undefined || sameBytes(copy.content, one.judged)) continue;
      const keys = await this.#takeOver(one, copy.content);
      one.judged = copy.content;
      if (keys.length > 0) dropped.push({ path: one.path, change: "not_kept", keys });
    }
    return dropped;
  }

  #copyOf({ copy }: Brokered): ConfigFile | undefined {
    const files = this.#options.calls.begin();
    try {
      return readConfig(files, copy);
    } finally {
      files[Symbol.dispose]();
    }
  }

  /** Keys that are not adopted: those that may not be, or all while another program changes the real file. */
  async #takeOver(one: Brokered, copy: Uint8Array): Promise<readonly string[]> {
    const { calls, editor, ownChanges } = this.#options;
    let left: readonly string[] = [];
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      using files = calls.begin();
      const now = readConfig(files, one.real);
      if (now === undefined) return [UNREADABLE];
      const [before, after, real] = await Promise.all([one.judged, copy, now.content]
        .map((content) => editor.entriesOf(content)));
      if (before === undefined || after === undefined || real === undefined) return [UNREADABLE];
      // What the server wrote itself came from commands.
      await this.#readStates(one, now.fingerprint === one.known.fingerprint ? undefined : real);
      const { taken, dropped } = judgeChanges({ before, after, real, first: one.first });
      if (taken.length === 0) return dropped;
      left = [...dropped, ...taken.map(({ key }) => key)];
      const content = taken.length > MOST_EDITS ? undefined : await this.#edited(now.content, taken);
      if (content === undefined) return left;
      const written = writeInPlace(files, one.real, { expected: now.content, content });
      if (written === undefined) continue;
      ownChanges.add(one.path, now.fingerprint, written.fingerprint);
      one.known = written;
      return dropped;
    }
    return left;
  }

  /** Adds to `first` what others set since the last time, and `real`; undefined: nothing more. */
  async #readStates(one: Brokered, real: ConfigEntries | undefined): Promise<void> {
    const { unread } = one;
    one.unread = [];
    const states = await Promise.all(unread.map((content) => this.#options.editor.entriesOf(content)));
    one.first = new Map([real, ...states.toReversed(), one.first].flatMap((entries) => [...entries ?? []]));
  }

  /** The content with the edits, if these changed nothing else; undefined otherwise. */
  async #edited(content: Uint8Array, edits: readonly ConfigEdit[]): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { editor } = this.#options;
    const edited = await editor.edited(content, edits);
    const [before, after] = [await editor.entriesOf(content), edited && await editor.entriesOf(edited)];
    if (before === undefined || after === undefined) return undefined;
    const wanted = new Map(edits.map(({ key, values }) => [key, values]));
    const expected = new Map(before);
    for (const [key, values] of wanted) expected.set(key, values);
    const isAsMeant = [...new Set([...expected.keys(), ...after.keys()])].every((key) =>
      sameValues(expected, after, key)
    );
    return isAsMeant ? edited : undefined;
  }
}
