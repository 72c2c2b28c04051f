/** The configuration of one server, from a file in any dialect. */
import type { OAuthFields } from "../oauth/oauth_config.ts";
import type { ConfinementChoice, UnixSockets } from "../../sandbox/policy/confinement.ts";

/** A text whose variables have their values; `shown` names those of the environment instead. */
export interface Expanded {
  readonly text: string;
  readonly shown: string;
}

/** Which tools of a server are offered; `*` stands for any characters. */
export interface ToolFilter {
  /** Undefined: all. */
  readonly include: readonly string[] | undefined;
  /** Wins over `include`. */
  readonly exclude: readonly string[];
}

/** When a definition that differs from the first one is withheld. */
export const PIN_MODES = ["changed", "strict", "off"] as const;
/** `changed`: changed tools are withheld; `strict`: new ones too; `off`: none. */
export type PinMode = typeof PIN_MODES[number];

export interface CommonSpec {
  /** The key in the file. */
  readonly name: string;
  /** The prefix of its tools' names, before `_`; undefined: the server's name. */
  readonly prefix: string | undefined;
  readonly filter: ToolFilter;
  readonly pin: PinMode;
  /** Whether it may request completions from the client's model. */
  readonly sampling: boolean;
  /** Whether its log messages reach the client; undefined: once the client has asked for some. */
  readonly logs: boolean | undefined;
  /** How long a call waits for its result before an operation id is the answer, milliseconds. */
  readonly waitMs: number;
  /** How long a call may be silent, seconds; each progress message restarts it. */
  readonly timeoutSeconds: number;
  /** How long a call may take, seconds; undefined: no limit. */
  readonly maxSeconds: number | undefined;
  /** Idle time after which the server is stopped, seconds; 0: never. */
  readonly idleSeconds: number;
}

/** Where a server may connect: a word, or hosts. */
export type ServerNetwork = Pick<ConfinementChoice, "network" | "names">;

export interface StdioSpec extends CommonSpec {
  readonly kind: "stdio";
  readonly command: Expanded;
  readonly args: readonly Expanded[];
  readonly environment: Readonly<Record<string, Expanded>>;
  /** As written; undefined: the first scope, or its home if it may not read the scope. */
  readonly directory: string | undefined;
  /** Directories that it may change in addition to its home; `scope` stands for the scopes. */
  readonly write: readonly string[];
  /** Files and directories that it may read in addition to what commands may. */
  readonly read: readonly string[];
  /** Whether it may read the scopes. */
  readonly readScope: boolean;
  /** Undefined: as commands. */
  readonly network: ServerNetwork | undefined;
  /** Undefined: as commands. */
  readonly unixSockets: UnixSockets | undefined;
  /** How long it may take to answer when it is started, seconds: a package may be fetched first. */
  readonly startSeconds: number;
}

/** Which transport an address speaks; `either`: SSE is tried where the current one is refused. */
export type HttpTransport = "streamable" | "sse" | "either";

export interface HttpSpec extends CommonSpec {
  readonly kind: "http";
  readonly url: Expanded;
  readonly headers: Readonly<Record<string, Expanded>>;
  readonly transport: HttpTransport;
  /** Of the login; empty: everything is discovered. */
  readonly oauth: OAuthFields;
}

export type ServerSpec = StdioSpec | HttpSpec;

/** A server of a configuration, in the order of the files. */
export type ConfiguredServer =
  | { readonly state: "usable"; readonly spec: ServerSpec }
  | { readonly state: "disabled"; readonly name: string }
  /** `problem`: a sentence that names the value and the remedy. */
  | { readonly state: "refused"; readonly name: string; readonly problem: string };
