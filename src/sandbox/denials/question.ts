/** The question (S15): what did a command mention that its sandbox denies? */
import type { NetworkUse } from "../../base/command/network_use.ts";
import type { NetworkReach } from "../../base/network/network_bound.ts";
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { SandboxPolicy } from "../policy/policy.ts";
import type { ErrorName, Evidence } from "./printed_errors.ts";

/** A command that ended by itself. */
export interface EndedCommand {
  /** argv, or the shell line as the only word. */
  readonly words: readonly string[];
  /** The paths in them, where they are known already; absent: they are looked for. */
  readonly named?: ReadonlySet<string>;
  readonly directory: string;
  /** The end of its output. */
  readonly output: string;
  readonly end: CommandEnd;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly began: number;
  /** Protected paths that changed while it ran. */
  readonly changed: readonly string[];
  /** What its tool file narrows its network to (S43); absent: nothing. */
  readonly network?: NetworkReach | undefined;
  /** What its network by name refused, each once (S30). */
  readonly refused: readonly NetworkUse[];
}

/** Where a path was named. */
export interface Mention {
  /** As named; absolute. */
  readonly named: string;
  readonly inCommand: boolean;
  /** The command names it, or a directory that holds it. */
  readonly belowCommand: boolean;
  /** The command writes there (`> PATH`, `cp x PATH`). */
  readonly asTarget: boolean;
  /** Whether a directory is named as a place to write in: by `git push`, or after a failed write elsewhere. */
  readonly asPlace: boolean;
  readonly inOutput: boolean;
  /** Or, if the command names it, the output has its last name. */
  readonly printed: boolean;
  /** What the output says about it; undefined: nothing. */
  readonly evidence: Evidence | undefined;
  /** Nothing was printed that could name it. */
  readonly silent: boolean;
  /** The command ended with another code than 0. */
  readonly failed: boolean;
}

/** What the answer depends on in addition to the command. */
export interface DenialContext {
  readonly policy: SandboxPolicy;
  readonly scopes: readonly string[];
  readonly home: string | undefined;
  /** HOME as commands have it, which `~` stands for. */
  readonly homeInside: string | undefined;
  /** Canonical places of credentials, which no flag named here would open. */
  readonly sensitive: readonly string[];
  /** Those within reach that are covered: commands see nothing there. */
  readonly covered: readonly string[];
  /** The user's configuration by the path of the copy that commands read. */
  readonly copies: ReadonlyMap<string, string>;
  /** What is mounted read-only in a writable tree because it is protected; canonical. */
  readonly readOnly: readonly string[];
  /** Commands have an ssh agent, or may read the user's keys. */
  readonly hasSshKeys?: boolean;
  /** Unix sockets of other programs that are in reach and covered; canonical. */
  readonly sockets: readonly string[];
}

/** A command that ended, with its context. */
export interface Question {
  readonly command: EndedCommand;
  readonly context: DenialContext;
}

/** Whether the output reports one of these errors for the path, or, if requested, mentions it in any message. */
export function hasError({ evidence }: Mention, names: readonly ErrorName[], options = { orSpokenOf: false }): boolean {
  if (evidence === undefined) return false;
  return names.some((name) => evidence.errors.has(name)) || options.orSpokenOf && evidence.spokenOf;
}
