/**
 * What a failed command mentioned that its sandbox keeps from it (S15). Every statement is one about the policy, asked
 * of the oracle for a path that is there (or could have been made there); whether it was the cause is not claimed, and
 * what was hardly meant is left out:
 *
 * - what commands may not even read: told when the command or its output names it, and it exists;
 * - what they may read and not change, or not create: only when the command and its output both name it.
 */
import type { Denial } from "../base/denial.ts";
import { pathsInCommand, pathsInOutput, type Places } from "./mentioned_paths.ts";
import { type Access, allows } from "./oracle.ts";
import { isWithin, parentOf } from "./paths.ts";
import type { SandboxPolicy } from "./policy.ts";
import { sensitiveProblem } from "./sensitive.ts";

/** A command that failed. */
export interface FailedCommand {
  /** argv, or the shell line as the only word. */
  readonly words: readonly string[];
  readonly directory: string;
  /** The last of what it printed. */
  readonly output: string;
}

/** What the answer depends on beside the command. */
export interface DenialContext {
  readonly policy: SandboxPolicy;
  readonly scopes: readonly string[];
  readonly home: string | undefined;
  /** Canonical places of credentials, which no flag named here would open. */
  readonly sensitive: readonly string[];
}

const MOST_DENIALS = 5;

/** Looks at the file system, at most some hundred paths of it, and never into a file. */
export async function explainDenials(command: FailedCommand, context: DenialContext): Promise<readonly Denial[]> {
  const places: Places = { directory: command.directory, home: context.home };
  const inCommand = pathsInCommand(command.words, places);
  const inOutput = pathsInOutput(command.output, places);
  const silent = command.output.trim() === "";
  const denials: Denial[] = [];
  const found = await Promise.all([...new Set([...inCommand, ...inOutput])].map(async (path) => {
    const place = await look(path);
    if (place === undefined) return undefined;
    return judge(place, context, {
      inCommand: inCommand.has(path),
      byBoth: inCommand.has(path) && (inOutput.has(path) || silent),
    });
  }));
  for (const denial of found) {
    if (denial === undefined || denials.some(({ path }) => path === denial.path)) continue;
    denials.push(denial);
  }
  return denials.slice(0, MOST_DENIALS);
}

interface Place {
  /** Canonical; the last name as mentioned where nothing is there. */
  readonly path: string;
  /** Undefined: nothing is there, but its directory is. */
  readonly kind: "file" | "program" | "directory" | undefined;
}

async function look(path: string): Promise<Place | undefined> {
  // The runtime takes such steps out before it follows links, the kernel after: better nothing than something wrong.
  if (path.split("/").includes("..")) return undefined;
  const real = await present(() => Deno.realPath(path));
  if (real !== undefined) {
    const facts = await present(() => Deno.stat(real));
    if (facts === undefined) return undefined;
    const program = facts.isFile && ((facts.mode ?? 0) & 0o111) !== 0;
    return { path: real, kind: facts.isDirectory ? "directory" : program ? "program" : "file" };
  }
  const directory = await present(() => Deno.realPath(parentOf(path)));
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (directory === undefined) return undefined;
  return { path: `${directory === "/" ? "" : directory}/${name}`, kind: undefined };
}

function judge(
  { path, kind }: Place,
  context: DenialContext,
  { inCommand, byBoth }: { readonly inCommand: boolean; readonly byBoth: boolean },
): Denial | undefined {
  const { policy, scopes } = context;
  const may = (access: Access) => allows(policy, path, access);
  if (may(kind === undefined ? "create" : "write")) return undefined;
  // On the way to the scope; named in passing.
  const onTheWay = path === "/" || scopes.some((scope) => isWithin(scope, path));
  if (onTheWay && !inCommand) return undefined;
  const readable = kind === undefined ? false : may(kind === "directory" ? "list" : "read");
  if (readable || kind === undefined) {
    if (!byBoth || kind === "program") return undefined;
    // What can be looked at and does not exist is what most failed commands name.
    if (kind === undefined && allows(policy, parentOf(path), "list") && isSystemPath(path)) return undefined;
  }
  const access = readable ? ["write"] as const : ["read", "write"] as const;
  return { path, access, scope: scopes, flags: flagsFor({ path, kind }, context, readable ? "readable" : "closed") };
}

/** Nobody's command writes there, but many look there for what is not installed. */
function isSystemPath(path: string): boolean {
  return ["/usr", "/etc", "/lib", "/bin", "/sbin", "/opt"].some((tree) => isWithin(path, tree));
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
    ...state === "closed" && kind !== undefined && !refused(path) ? [`--read ${path}`] : [],
    ...refused(directory) ? [] : [`--write ${directory}`],
  ];
}

/** Undefined for what is not there or cannot be looked at: nothing is said about it. */
async function present<Value>(find: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
