/** Whether a path that a command mentioned lies where it may not go, and which flag would open it (S15). */
import { words } from "../../base/text.ts";
import type { PathDenial } from "../../base/command/denial.ts";
import { linkedRepository } from "../protect/linked_worktree.ts";
import type { Place } from "./inspect_path.ts";
import { allows } from "./policy_query.ts";
import { isWithin, parentOf } from "../../system/paths.ts";
import { type DenialContext, type EndedCommand, hasError, type Mention } from "./question.ts";
import { sensitiveProblem } from "../protect/credential_paths.ts";

/** The denial; undefined: commands may go there, or the command hardly meant it. */
export function outsideDenial(place: Place, context: DenialContext, mention: Mention): PathDenial | undefined {
  const { policy, scopes, sensitive } = context;
  const { path, kind } = place;
  const isSensitive = sensitiveProblem(path, sensitive) !== undefined;
  if (isSensitive && !isMeant(place, mention)) return undefined;
  if (isSensitive) return { path, access: ["read", "write"], scope: scopes, flags: [] };
  const readable = kind !== undefined && allows(policy, path, kind === "directory" ? "list" : "read");
  const repository = scopes.map(linkedRepository).find((one) => one !== undefined && isGitsOwn(path, one));
  if (!isTold(place, context, mention, { readable, hasRepository: repository !== undefined })) return undefined;
  const writes = mention.asTarget || mention.asPlace && kind === "directory" || hasError(mention, ["EROFS"]) ||
    kind === undefined;
  const seen = writes && kind !== undefined && !isHidden(path, context);
  const access = readable || seen ? ["write"] as const : ["read", "write"] as const;
  if (writes && repository === undefined && isTemporary(path, context)) {
    return { path, access, instead: "$TMPDIR", scope: scopes, flags: [] };
  }
  const opened = repository === undefined ? place : { path: repository, kind: "directory" as const };
  const state = readable || writes || repository !== undefined ? "readable" : "closed";
  const flags = isOnTheWay(path, context) ? [] : flagsFor(opened, context, state);
  return { path, access, scope: scopes, flags: writes && isOfHome(path, context) ? ["--private-home"] : flags };
}

/** The denial of a covered place of credentials, the same whether it exists; undefined: it is none, or unintended. */
export function coveredDenial(mention: Mention, { covered, scopes }: DenialContext): PathDenial | undefined {
  const { named, inCommand } = mention;
  if (!covered.some((place) => isWithin(named, place))) return undefined;
  if (!inCommand && !hasError(mention, [...DENIED, "ENOENT"], { orSpokenOf: true })) return undefined;
  return { path: named, access: ["read", "write"], hidden: true, scope: scopes, flags: [] };
}

/** The denial if a command tried to change the copy of the user's configuration; undefined: it did not. */
export function copiedDenial(
  { path }: Place,
  mention: Mention,
  { copies, scopes }: Pick<DenialContext, "copies" | "scopes">,
): PathDenial | undefined {
  const original = copies.get(path);
  if (original === undefined || !hasError(mention, DENIED)) return undefined;
  return { path: original, access: ["write"], copied: true, scope: scopes, flags: [] };
}

/** The same for pip, which names no path when it cannot change its configuration. */
export function copiedPipDenial(
  { words, output }: Pick<EndedCommand, "words" | "output">,
  { copies, scopes }: Pick<DenialContext, "copies" | "scopes">,
): PathDenial | undefined {
  const isMet = /\bpip[\w.]* config (?:set|unset|edit)\b/.test(words.join(" ")) &&
    /\bFatal Internal error \[id=2\]/.test(output);
  const path = isMet ? copies.values().find((original) => original.endsWith("/pip.conf")) : undefined;
  return path === undefined ? undefined : { path, access: ["write"], copied: true, scope: scopes, flags: [] };
}

/** The error for unreachable credentials tells a command which files are missing; these are missing outside too. */
function isMeant({ kind }: Place, mention: Mention): boolean {
  const denied = hasError(mention, DENIED);
  return denied || kind !== undefined && (mention.inCommand || hasError(mention, [], { orSpokenOf: true }));
}

/** Errors that the sandbox's denials cause. */
const DENIED = ["EACCES", "EPERM", "EROFS", "EBUSY"] as const;

/** Whether the command seems to have been denied it. `hasRepository`: it belongs to the repository whose linked worktree is the scope. */
function isTold(
  { path, kind }: Place,
  context: DenialContext,
  mention: Mention,
  { readable, hasRepository }: { readonly readable: boolean; readonly hasRepository: boolean },
): boolean {
  const { inCommand, inOutput, evidence, asPlace, silent, failed } = mention;
  const hidden = kind === undefined && isHidden(parentOf(path), context) && (mention.asTarget || !isSystemPath(path));
  const errors = hidden ? [...DENIED, "ENOENT"] as const : DENIED;
  const denied = hasError(mention, errors, { orSpokenOf: !readable && kind !== undefined });
  if (isOnTheWay(path, context)) return denied;
  if (hasError(mention, ["EROFS"])) return true;
  if (!failed || hidden && denied) return denied;
  // A missing file is missing outside too.
  if (kind === undefined && evidence?.errors.has("ENOENT") === true && !denied) return false;
  if (!readable && kind !== undefined) return true;
  if (asPlace && kind === "directory" && !isSystemPath(path)) return true;
  // Git names what it could not open or create there; the command does not.
  const byBoth = inCommand && (inOutput || silent) || inOutput && kind === undefined && hasRepository;
  if (!byBoth || kind === "program") return false;
  // Most failed commands name paths that are visible and do not exist.
  return !(kind === undefined && allows(context.policy, parentOf(path), "list") && isSystemPath(path));
}

/** Whether an existing directory is invisible to commands, which then report everything in it as missing. */
function isHidden(path: string, { policy, home }: DenialContext): boolean {
  if (policy.root === undefined || path === home) return false;
  const seen = [...policy.writable, ...policy.grants].map((one) => one.path);
  return !seen.some((one) => isWithin(path, one) || isWithin(one, path));
}

/** A parent of the scope: `cd ..` names it in passing, and opening it would open everything next to the scope. */
function isOnTheWay(path: string, { scopes }: Pick<DenialContext, "scopes">): boolean {
  return path === "/" || scopes.some((scope) => isWithin(scope, path));
}

/** What git changes by itself in a repository; the rest would be protected there. */
function isGitsOwn(path: string, repository: string): boolean {
  return isWithin(path, repository) && !["hooks", "config"].some((name) => isWithin(path, `${repository}/${name}`));
}

function isTemporary(path: string, { home }: DenialContext): boolean {
  if (home !== undefined && isWithin(path, home)) return false;
  return ["/tmp", "/var/tmp"].some((tree) => isWithin(path, tree));
}

const SYSTEM_TREES = words(
  "/usr /etc /lib /lib64 /bin /sbin /opt /var /dev /proc /sys /run",
);

/** No command should write there, and many look there for programs that are not installed. */
function isSystemPath(path: string): boolean {
  return SYSTEM_TREES.some((tree) => isWithin(path, tree));
}

/** The Node package that a file belongs to, with its dependencies: the file alone is of no use. */
function packageOf(path: string): string | undefined {
  return /^.*?\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

/** The file that a package manager reads first from a dependency given by path. */
const MANIFEST = /\/(?:Cargo\.toml|go\.mod|package\.json|pyproject\.toml)$/;

/** Only what the server would accept, and nothing that opens more than a project. */
export function flagsFor(
  { path, kind }: Place,
  { home, sensitive, scopes }: Pick<DenialContext, "home" | "sensitive" | "scopes">,
  state: "readable" | "closed",
): readonly string[] {
  const directory = kind === "directory" ? path : parentOf(path);
  const wide = (tree: string) => tree.split("/").length <= 2 || tree === home;
  const onTheWay = isOnTheWay(directory, { scopes });
  const refused = (tree: string) => wide(tree) || isSystemPath(tree) || sensitiveProblem(tree, sensitive) !== undefined;
  const whole = MANIFEST.test(path) && !refused(directory) && !onTheWay ? directory : packageOf(path) ?? path;
  return [
    ...state === "closed" && kind !== undefined && !refused(path) ? [`--read ${whole}`] : [],
    ...refused(directory) || onTheWay || isOfPrograms(directory, home) ? [] : [`--write ${directory}`],
  ];
}

/** A dot directory of home, whose files programs outside keep, run or obey. */
function isOfPrograms(directory: string, home: string | undefined): boolean {
  return home !== undefined && directory.startsWith(`${home}/.`);
}

/** Where a program keeps its own files, and no tool chain: another HOME serves as well. */
function isOfHome(path: string, { policy, home, homeInside }: DenialContext): boolean {
  return home === homeInside && isOfPrograms(path, home) && !allows(policy, parentOf(path), "list");
}
