/**
 * What a command mentioned and its sandbox denies (S15), by the policy for a path that exists or could have been
 * created. It claims no cause, and leaves out what was hardly meant: covered credentials count when the command names
 * one; what it may not read, when the command or its output names it, and it exists; what it may not change, when both
 * do; after exit code 0, only what a message names.
 */
import type { Denial } from "../../base/command/denial.ts";
import { withClosedPrograms } from "./closed_programs.ts";
import { deniedListeners, operationDenials, refusedNames, socketDenial } from "./denied_operations.ts";
import { protectedDenial } from "./denied_protected.ts";
import { copiedDenial, copiedPipDenial, coveredDenial, outsideDenial } from "./denied_outside.ts";
import { isReadOnlyError, tracedDenials, unnamedWrites, withoutPackages, withoutTerminals } from "./denied_traces.ts";
import { lookAbove, lookAsSeen, type Place } from "./inspect_path.ts";
import { LONGEST_TEXT, pathsInCommand, pathsInOutput, type Places, targetsInCommand } from "./mentioned_paths.ts";
import { allows } from "./policy_query.ts";
import { isWithin } from "../../system/paths.ts";
import { evidenceIn } from "./printed_errors.ts";
import type { DenialContext, EndedCommand, Mention, Question } from "./question.ts";

/** The model pays for each line. */
const MOST_DENIALS = 3;

/** Looks at some hundred paths of the file system at most, and never into a file; at none if it need not. */
export function explainDenials(
  command: EndedCommand,
  context: DenialContext,
): readonly Denial[] | Promise<readonly Denial[]> {
  if (ranElsewhere(command)) return [];
  const mentions = mentionsOf(command, context);
  const listening = deniedListeners(command.output);
  if (mentions.length === 0 && listening.length === 0) return denialsOf(command, context, []);
  return lookAtMentioned(command, context, { mentions, listening });
}

async function lookAtMentioned(
  command: EndedCommand,
  context: DenialContext,
  { mentions, listening }: { readonly mentions: readonly Mention[]; readonly listening: readonly string[] },
): Promise<readonly Denial[]> {
  const found = await Promise.all(
    mentions.map(async (mention) => {
      const covered = coveredDenial(mention, context);
      if (covered !== undefined) return covered;
      // The path cannot be created, because its directory does not exist.
      const refused = mention.evidence?.errors.has("EROFS") === true;
      // Commands of root have a read-only /proc of their own, which no flag opens.
      if (refused && isWithin(mention.named, "/proc")) return undefined;
      const place = await lookAsSeen(mention.named, context.policy) ??
        (refused ? await lookAbove(mention.named) : undefined);
      return place === undefined ? undefined : await judge(place, mention, { command, context });
    }),
  );
  const listeners = await Promise.all(listening.map((path) => listenerDenial(path, context)));
  return denialsOf(command, context, [...found, ...listeners].filter((one) => one !== undefined));
}

/** `ofPaths`: what was found at the paths that were named. */
function denialsOf(
  command: EndedCommand,
  context: DenialContext,
  ofPaths: readonly Denial[],
): readonly Denial[] {
  const { output } = command;
  const operations = hasFailed(command) ? operationDenials(command, context) : [];
  const names = refusedNames(command.refused, context.scopes);
  const all = [
    ...names,
    ...ofPaths,
    copiedPipDenial(command, context),
    ...operations,
    ...tracedDenials(command, context),
  ];
  const denials: Denial[] = [];
  const told = withClosedPrograms(withoutTerminals(all.filter((one) => one !== undefined)), command, context);
  for (const denial of withoutPackages(told, context.scopes)) {
    if (!isInner(denial, told)) continue;
    if (!denials.some((one) => saysTheSame(one, denial))) denials.push(denial);
  }
  return [...denials, ...unnamedWrites(output, denials, context.scopes)].slice(0, MOST_DENIALS);
}

/** Output of another machine does not count: ssh exits with 255 if it fails itself. */
function ranElsewhere({ words, end }: EndedCommand): boolean {
  return words.length > 1 && /(?:^|\/)ssh$/.test(words[0] ?? "") && end.kind === "exited" && end.code !== 255;
}

function hasFailed({ end }: EndedCommand): boolean {
  return end.kind !== "exited" || end.code !== 0;
}

/** Of nested places, the inner one is more specific. */
function isInner(one: Denial, all: readonly Denial[]): boolean {
  return !("path" in one) || one.protected === true ||
    !all.some((other) => "path" in other && other !== one && other.path !== one.path && isWithin(other.path, one.path));
}

/** One path of each protected directory is enough, and one socket in all. */
function saysTheSame(one: Denial, other: Denial): boolean {
  if ("operation" in one && "operation" in other && one.operation === "unix_socket") {
    return one.operation === other.operation;
  }
  const ofOneRoot = "path" in one && "path" in other && one.protected === true && other.protected === true &&
    one.flags.length > 0 && one.flags.join() === other.flags.join();
  return ofOneRoot || subjectOf(one) === subjectOf(other);
}

function subjectOf(denial: Denial): string {
  return "path" in denial ? denial.path : denial.subject;
}

function mentionsOf(command: EndedCommand, context: DenialContext): readonly Mention[] {
  const { words, directory, output } = command;
  const places: Places = { directory, home: context.homeInside };
  const failed = hasFailed(command);
  const evidence = evidenceIn(output, places);
  const inCommand = command.named ?? pathsInCommand(words, places);
  if (!failed && evidence.size === 0 && !inCommand.values().some((named) => isSensitive(named, context))) return [];
  const targets = targetsInCommand(words, places);
  const inOutput = new Set([...evidence.keys(), ...failed ? pathsInOutput(output, places) : []]);
  const isPush = words.some((word) => PUSH.test(word.slice(0, LONGEST_TEXT)));
  const isUnnamed = failed && isReadOnlyError(output) && !evidence.values().some(({ errors }) => errors.has("EROFS"));
  const silent = output.trim() === "";
  const all = [...new Set([...inCommand, ...inOutput])].map((named) => ({
    named,
    inCommand: inCommand.has(named),
    belowCommand: [...inCommand].some((one) => isWithin(named, one)),
    asTarget: targets.has(named),
    asPlace: isPush && inOutput.has(named) || isUnnamed && inCommand.has(named),
    inOutput: inOutput.has(named),
    printed: inOutput.has(named) || inCommand.has(named) && output.includes(named.slice(named.lastIndexOf("/") + 1)),
    evidence: evidence.get(named),
    silent,
    failed,
  }));
  return failed ? all : all.filter((mention) => canMatter(mention, context));
}

/** Git names the repository that it could not send to, and often only its configuration holds that name. */
const PUSH = /\bgit\b[^\n;&|]{0,200}\bpush\b/;

/** Most commands succeed, and their output names what they did: these names need no look at the file system. */
function canMatter({ named, inCommand, evidence }: Mention, context: DenialContext): boolean {
  const { policy, readOnly } = context;
  if (inCommand && isSensitive(named, context)) return true;
  if (evidence === undefined) return false;
  if (evidence.errors.size === 0 && (!evidence.spokenOf || allows(policy, named, "read"))) return false;
  return !policy.writable.some(({ path }) => isWithin(named, path)) || readOnly.some((one) => isWithin(named, one));
}

function isSensitive(path: string, { sensitive }: DenialContext): boolean {
  return sensitive.some((place) => isWithin(path, place));
}

async function judge(place: Place, mention: Mention, question: Question): Promise<Denial | undefined> {
  const { policy } = question.context;
  const covered = coveredDenial({ ...mention, named: place.path }, question.context); // a link may have led there
  if (covered !== undefined) return covered;
  const copied = copiedDenial(place, mention, question.context);
  if (copied !== undefined) return copied;
  if (place.kind === "socket") return socketDenial(place.path, question.context);
  if (!allows(policy, place.path, place.kind === undefined ? "create" : "write")) {
    return outsideDenial(place, question.context, mention);
  }
  return await protectedDenial(place.path, mention, question);
}

/** Where a program could make a file, only the rule about sockets keeps it from making a socket. */
async function listenerDenial(path: string, context: DenialContext): Promise<Denial | undefined> {
  const place = await lookAsSeen(path, context.policy);
  const free = place !== undefined && place.kind === undefined && allows(context.policy, place.path, "create");
  return free ? socketDenial(place.path, context) : undefined;
}
