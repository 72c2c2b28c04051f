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
import { type DenialContext, type Mention, outsideDenial } from "./denied_outside.ts";
import { look, type Place, present } from "./looked_at.ts";
import { pathsInCommand, pathsInOutput, type Places } from "./mentioned_paths.ts";
import { allows } from "./oracle.ts";
import { isWithin } from "./paths.ts";
import { printsError } from "./printed_errors.ts";

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
