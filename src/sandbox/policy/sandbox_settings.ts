import type { ConfinementChoice } from "./confinement.ts";
import type { SandboxLayer } from "./layers.ts";
import type { PinnedDirectory } from "./policy.ts";

/** What flags, variables and settings files say about the sandbox; paths are as given, relative to the working directory. */
export interface SandboxChoice {
  /** False: `--no-sandbox`, which is reported everywhere (S14). */
  readonly enforce: boolean;
  /** `--sandbox-scope`, in order; empty: the working directory (S1). */
  readonly scopes: readonly string[];
  /** What the scopes must be, where the bridge has settled them already; absent or empty: anything. */
  readonly pinned?: readonly PinnedDirectory[];
  /** `--allow-broad-scope`: the home directory and its parents are accepted too. */
  readonly allowBroad: boolean;
  /** `--read` and `--write` directories or files (S4). */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** `--protect` and `--allow-protected`; absolute, or seen from every writable tree (S8). */
  readonly protect: readonly string[];
  readonly allowProtected: readonly string[];
  /** `--allow-read-sensitive`: credentials that commands may read (S7). */
  readonly allowSensitive: readonly string[];
  /** The home of a third-party server, canonical: it lies among credentials and is its scope; absent: none. */
  readonly serverHome?: string;
  /** The canonical store of a worker of ours, among credentials: only its sandbox opens it. */
  readonly store?: string;
  /** `--strict`: nothing below home is readable unless it is named (S4). */
  readonly strict: boolean;
  /** `--require-layer`: layers without which the program does not start, in addition to Landlock (S8). */
  readonly requiredLayers: readonly SandboxLayer[];
  /** `--gpu`: `all`, numbers, or names of device nodes; empty: none (S41). */
  readonly gpus: readonly string[];
  /** `--env`: names of the server's variables that commands get too (S9). */
  readonly environmentNames: readonly string[];
  /** Directories that are there for commands, empty where nothing opens them; absent: none but the usual ones. */
  readonly seen?: readonly string[];
  /** `--private-home`: HOME of commands is a directory of the scope's cache (S25). */
  readonly privateHome: boolean;
  /** False: commands have no temporary directory (S5). */
  readonly temporaryFiles: boolean;
  /** The oldest Landlock ABI that is good enough (S2); undefined: any. */
  readonly requireAbi: number | undefined;
  /** Network, sockets and resources of commands (S6, S10). */
  readonly confinement: ConfinementChoice;
}

/** What commands see of secrets that they cannot read (S33). */
export interface SandboxSecrets {
  /** What stands for them, by variable. */
  readonly variables: Readonly<Record<string, string>>;
  /** The certificate of the authority that commands must trust, PEM. */
  readonly authority: string;
  /** By address: the header with which git asks there. */
  readonly gitHeaders: Readonly<Record<string, string>>;
}

/** What commands have of the ssh agent that the server opens for them (S42). */
export interface SandboxAgent {
  /** Lines of a file of known hosts. */
  readonly knownHosts: string;
  /** The key that git signs with, as files of public keys have it; absent: there is none. */
  readonly signingKey?: string;
}

/** The choice, and what it is applied to; read once. */
export interface SandboxSettings extends SandboxChoice {
  readonly workingDirectory: string;
  /** Undefined: unknown, and nothing is refused because of it. */
  readonly home: string | undefined;
  /** Canonical paths of the program's own that commands may not change where they lie in a writable tree. */
  readonly own: readonly string[];
  /** Absolute path of the shell commands run in. */
  readonly shell: string;
  readonly serverEnvironment: Readonly<Record<string, string>>;
  readonly secrets?: SandboxSecrets | undefined;
  readonly agent?: SandboxAgent | undefined;
}
