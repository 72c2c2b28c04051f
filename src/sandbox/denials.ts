/**
 * What a failed command mentioned that its sandbox keeps from it (S15). Every statement is one about the policy, asked
 * of the oracle for a path that is there (or could have been made there); whether it was the cause is not claimed, and
 * what was hardly meant is left out:
 *
 * - what commands may not even read: told when the command or its output names it, and it exists;
 * - what they may read and not change, or not create: only when the command and its output both name it;
 * - what is protected, a socket, or no path at all: denied_protected.ts, denied_operations.ts.
 */
import type { Denial } from "../base/denial.ts";
import { type CommandEnding, deniedListeners, operationDenials, socketDenial } from "./denied_operations.ts";
import { protectedDenial } from "./denied_protected.ts";
import { pathsInCommand, pathsInOutput, type Places } from "./mentioned_paths.ts";
import { allows } from "./oracle.ts";
import { linkedRepository } from "./linked_worktree.ts";
import { isWithin, parentOf } from "./paths.ts";
import type { SandboxPolicy } from "./policy.ts";
import { printsError } from "./printed_errors.ts";
import { sensitiveProblem } from "./sensitive.ts";

/** A command that failed. */
export interface FailedCommand {
  /** argv, or the shell line as the only word. */
  readonly words: readonly string[];
  readonly directory: string;
  /** The last of what it printed. */
  readonly output: string;
  readonly ending: CommandEnding;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly began: number;
  /** Protected paths that changed while it ran. */
  readonly changed: readonly string[];
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

const MOST_DENIALS = 5;

/** Looks at the file system, at most some hundred paths of it, and never into a file. */
export async function explainDenials(command: FailedCommand, context: DenialContext): Promise<readonly Denial[]> {
  const found = await Promise.all(
    mentionsOf(command, context).map(async (mention) => {
      const place = await look(mention.named);
      return place === undefined ? undefined : await judge(place, mention, { command, context });
    }),
  );
  const listeners = await Promise.all(deniedListeners(command.output).map((path) => listenerDenial(path, context)));
  const denials: Denial[] = [];
  for (const denial of [...found, ...listeners, ...operationDenials(command, context)]) {
    if (denial !== undefined && !denials.some((one) => saysTheSame(one, denial))) denials.push(denial);
  }
  return denials.slice(0, MOST_DENIALS);
}

/** Of what one protected directory holds, one path is enough. */
function saysTheSame(one: Denial, other: Denial): boolean {
  const ofOneRoot = "path" in one && "path" in other && one.protected === true && other.protected === true &&
    one.flags.length > 0 && one.flags.join() === other.flags.join();
  return ofOneRoot || subjectOf(one) === subjectOf(other);
}

function subjectOf(denial: Denial): string {
  return "path" in denial ? denial.path : denial.subject;
}

/** Where a path was named. */
interface Mention {
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

function mentionsOf({ words, directory, output }: FailedCommand, { home }: DenialContext): readonly Mention[] {
  const places: Places = { directory, home };
  const inCommand = pathsInCommand(words, places);
  const inOutput = pathsInOutput(output, places);
  const withError = pathsInOutput(
    output.split("\n").filter((line) => printsError(line, ["EROFS", "EBUSY"])).join("\n"),
    places,
  );
  const silent = output.trim() === "";
  return [...new Set([...inCommand, ...inOutput])].map((named) => ({
    named,
    inCommand: inCommand.has(named),
    belowCommand: [...inCommand].some((one) => isWithin(named, one)),
    inOutput: inOutput.has(named),
    printed: inOutput.has(named) || inCommand.has(named) && output.includes(named.slice(named.lastIndexOf("/") + 1)),
    withError: withError.has(named),
    silent,
  }));
}

interface Place {
  /** Canonical; the last name as mentioned where nothing is there. */
  readonly path: string;
  /** Undefined: nothing is there, but its directory is. */
  readonly kind: "file" | "program" | "directory" | "socket" | undefined;
}

async function look(path: string): Promise<Place | undefined> {
  // The runtime takes such steps out before it follows links, the kernel after: better nothing than something wrong.
  if (path.split("/").includes("..")) return undefined;
  const real = await present(() => Deno.realPath(path));
  if (real !== undefined) {
    const facts = await present(() => Deno.stat(real));
    if (facts === undefined) return undefined;
    const program = facts.isFile && ((facts.mode ?? 0) & 0o111) !== 0;
    const kind = facts.isDirectory ? "directory" : facts.isSocket === true ? "socket" : program ? "program" : "file";
    return { path: real, kind };
  }
  const directory = await present(() => Deno.realPath(parentOf(path)));
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (directory === undefined) return undefined;
  return { path: `${directory === "/" ? "" : directory}/${name}`, kind: undefined };
}

interface Question {
  readonly command: FailedCommand;
  readonly context: DenialContext;
}

async function judge(place: Place, mention: Mention, question: Question): Promise<Denial | undefined> {
  const { policy, scopes } = question.context;
  if (place.kind === "socket") return socketDenial(place.path, question.context);
  if (!allows(policy, place.path, place.kind === undefined ? "create" : "write")) {
    return outsideDenial(place, question.context, mention);
  }
  const trees = policy.writable.map(({ path }) => path);
  const { readOnly } = question.context;
  // What holds the whole tree is named for other reasons.
  const below = mention.belowCommand && !trees.includes(mention.named);
  const { changed, began } = question.command;
  return await protectedDenial({ ...mention, path: place.path, inCommand: below, inOutput: mention.printed }, {
    readOnly,
    changed,
    scopes,
    hasChanged: (directory) => changedSince(directory, began),
  });
}

/** The kernel's stamps lag behind its clock by as much as a tick. */
const LONGEST_TICK_MS = 10;

async function changedSince(directory: string, began: number): Promise<boolean> {
  const changed = (await present(() => Deno.lstat(directory)))?.mtime?.getTime();
  return changed !== undefined && changed >= began - LONGEST_TICK_MS;
}

/** Where a program could make a file, only the rule about sockets keeps it from making a socket. */
async function listenerDenial(path: string, context: DenialContext): Promise<Denial | undefined> {
  const place = await look(path);
  const free = place !== undefined && place.kind === undefined && allows(context.policy, place.path, "create");
  return free ? socketDenial(place.path, context) : undefined;
}

function outsideDenial(
  { path, kind }: Place,
  context: DenialContext,
  { inCommand, inOutput, silent }: Mention,
): Denial | undefined {
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
