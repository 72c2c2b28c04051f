/** Whether a path that a failed command mentioned lies where it may not go, and which flag would open it (S15). */
import type { PathDenial } from "../base/denial.ts";
import { linkedRepository } from "./linked_worktree.ts";
import type { Place } from "./looked_at.ts";
import { allows } from "./oracle.ts";
import { isWithin, parentOf } from "./paths.ts";
import type { SandboxPolicy } from "./policy.ts";
import { sensitiveProblem } from "./sensitive.ts";

/** Where a path was named. */
export interface Mention {
  /** As named; absolute. */
  readonly named: string;
  readonly inCommand: boolean;
  /** The command names it, or a directory that holds it. */
  readonly belowCommand: boolean;
  readonly inOutput: boolean;
  /** Or, where the command names it, the output has its last name. */
  readonly printed: boolean;
  /** A line of the output names it beside the error that a read-only mount gives. */
  readonly withError: boolean;
  /** Nothing was printed that could name it. */
  readonly silent: boolean;
}

/** What the answer depends on beside the command. */
export interface DenialContext {
  readonly policy: SandboxPolicy;
  readonly scopes: readonly string[];
  readonly home: string | undefined;
  /** Canonical places of credentials, which no flag named here would open. */
  readonly sensitive: readonly string[];
  /** What is mounted read-only in a writable tree because it is protected; canonical. */
  readonly readOnly: readonly string[];
}

/** The denial; undefined: commands may go there, or it was hardly meant. */
export function outsideDenial(
  { path, kind }: Place,
  context: DenialContext,
  { inCommand, inOutput, silent }: Mention,
): PathDenial | undefined {
  const { policy, scopes } = context;
  const repository = scopes.map(linkedRepository).find((one) => one !== undefined && isGitsOwn(path, one));
  // Git names what it could not open or make there, and the command does not.
  const byBoth = inCommand && (inOutput || silent) || inOutput && kind === undefined && repository !== undefined;
  // On the way to the scope; named in passing.
  const onTheWay = path === "/" || scopes.some((scope) => isWithin(scope, path));
  if (onTheWay && !inCommand) return undefined;
  const readable = kind === undefined ? false : allows(policy, path, kind === "directory" ? "list" : "read");
  if (readable || kind === undefined) {
    if (!byBoth || kind === "program") return undefined;
    // What can be looked at and does not exist is what most failed commands name.
    if (kind === undefined && allows(policy, parentOf(path), "list") && isSystemPath(path)) return undefined;
  }
  const access = readable ? ["write"] as const : ["read", "write"] as const;
  const place = repository === undefined ? { path, kind } : { path: repository, kind: "directory" as const };
  const state = readable || repository !== undefined ? "readable" : "closed";
  return { path, access, scope: scopes, flags: flagsFor(place, context, state) };
}

/** What git changes by itself in a repository; the rest would be protected there. */
function isGitsOwn(path: string, repository: string): boolean {
  return isWithin(path, repository) && !["hooks", "config"].some((name) => isWithin(path, `${repository}/${name}`));
}

/** Nobody's command writes there, but many look there for what is not installed. */
function isSystemPath(path: string): boolean {
  return ["/usr", "/etc", "/lib", "/bin", "/sbin", "/opt"].some((tree) => isWithin(path, tree));
}

/** The package for Node that a file belongs to, with what is installed in it: the file alone is of no use. */
function packageOf(path: string): string | undefined {
  return /^.*?\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

/** Only what the server would accept, and nothing that opens more than a project. */
function flagsFor(
  { path, kind }: Place,
  { home, sensitive }: DenialContext,
  state: "readable" | "closed",
): readonly string[] {
  const directory = kind === "directory" ? path : parentOf(path);
  const wide = (tree: string) => tree.split("/").length <= 2 || tree === home;
  const refused = (tree: string) => wide(tree) || isSystemPath(tree) || sensitiveProblem(tree, sensitive) !== undefined;
  return [
    ...state === "closed" && kind !== undefined && !refused(path) ? [`--read ${packageOf(path) ?? path}`] : [],
    ...refused(directory) ? [] : [`--write ${directory}`],
  ];
}
