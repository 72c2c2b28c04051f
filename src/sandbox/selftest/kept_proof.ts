/**
 * The proof that the self-test passed, kept for the boot in the user's state (S3), where commands neither read nor write.
 * A server that finds its own there runs its first command at once, and tests behind it. What a forger gains is that wait
 * alone: every step of a launch still prevents the command where it fails, and the test that follows ends the server.
 */
import { messageOf } from "../../base/errors.ts";
import { lazy } from "../../base/lazy.ts";
import type { Logger } from "../../base/log.ts";
import { withLibc } from "../../system/libc.ts";
import { FileCalls, type OpenFiles, type Stat } from "../../system/open_files/file_calls.ts";
import { PrivateDirectory } from "../../system/replace/private_directory.ts";
import { type ProofSubject, proofText } from "./proof_text.ts";

export interface KeptProofOptions {
  /** Of the user's state, out of every command's reach; undefined: there is none. Asked once, before the first command. */
  readonly directory: () => string | undefined;
  /** See `ProofSubject`. */
  readonly program: () => readonly string[];
  /** Ends the server: its commands ran in a sandbox that does not hold. */
  readonly onBroken: (why: string) => void;
  readonly log: Logger;
}

type Proven = Pick<ProofSubject, "policy" | "isGrouped">;

const FILE = "self-test";
/** More are forgotten, the oldest first. */
const MOST_PROOFS = 32;
/** A larger file was written by another program, bytes. */
const LARGEST_FILE = 256 * 1024;

/** One server's use of the file. */
export class KeptProof {
  readonly #options: KeptProofOptions;
  readonly #directory: () => string | undefined;

  constructor(options: KeptProofOptions) {
    this.#options = options;
    this.#directory = lazy(options.directory);
  }

  /** Whether the very same was proven since the machine has started. */
  holds(proven: Proven): boolean {
    const text = this.#textOf(proven);
    return text !== undefined && this.#read().includes(text);
  }

  /** Adds a proof for later servers. */
  async keep(proven: Proven): Promise<void> {
    const text = this.#textOf(proven);
    const kept = this.#read();
    if (text !== undefined && !kept.includes(text)) await this.#write([...kept, text].slice(-MOST_PROOFS));
  }

  /** Drops all proofs: one of them did not hold. */
  async forget(): Promise<void> {
    await this.#write([]);
  }

  /** Ends the server. */
  broken(why: string): void {
    this.#options.onBroken(why);
  }

  #textOf(proven: Proven): string | undefined {
    if (this.#directory() === undefined) return undefined;
    const program = this.#options.program();
    return withLibc((libc) => proofText({ ...proven, program }, libc));
  }

  /** Whole lines of a file that only this user can have written; empty: there is none. */
  #read(): readonly string[] {
    const calls = new FileCalls();
    const files = calls.begin();
    try {
      return this.#readWith(files);
    } finally {
      files[Symbol.dispose]();
      calls[Symbol.dispose]();
    }
  }

  #readWith(files: OpenFiles): readonly string[] {
    const path = this.#directory();
    const directory = path === undefined ? undefined : files.directoryAt(path);
    if (directory === undefined || !isPrivate(files.stat(directory, ""), "directory")) return [];
    const file = files.open(directory, FILE);
    const stat = file === undefined ? undefined : files.stat(file, "");
    if (file === undefined || !isPrivate(stat, "file") || stat.links !== 1 || stat.size > LARGEST_FILE) return [];
    const bytes = files.read(file, stat.size);
    return bytes === undefined ? [] : new TextDecoder().decode(bytes).split("\n").slice(0, -1);
  }

  async #write(proofs: readonly string[]): Promise<void> {
    const { log } = this.#options;
    const path = this.#directory();
    if (path === undefined) return;
    try {
      const files = new PrivateDirectory({ path, one: "the proofs of the self-test", all: "proofs", log });
      await files.write(FILE, proofs.map((text) => `${text}\n`).join(""));
    } catch (thrown) {
      log.debug("Cannot keep that the self-test passed", { error: messageOf(thrown) });
    }
  }
}

function isPrivate(stat: Stat | undefined, kind: Stat["kind"]): stat is Stat {
  return stat?.kind === kind && stat.uid === Deno.uid() && (stat.mode & 0o077) === 0;
}
