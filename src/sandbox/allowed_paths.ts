/** What a person allows commands during the session (S35), as further paths of its sandbox. */
import type { PinnedSubject } from "../base/command/grant_subject.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { expected, isWithin, realPath } from "../system/paths.ts";
import { runtimeCacheProblem } from "./grants/runtime_cache.ts";
import { grantable, READABLE_TREE } from "./policy/landlock.ts";
import type { PathGrant, PinnedDirectory } from "./policy/policy.ts";
import type { SandboxSettings } from "./policy/sandbox_settings.ts";
import { sensitiveProblem } from "./protect/credential_paths.ts";
import { protectedPaths } from "./protect/protected_paths.ts";
import type { OwnDirectories, PathSystem, SettledPaths } from "./settle_paths.ts";

export interface AllowedQuestion {
  readonly settings: SandboxSettings;
  readonly settled: SettledPaths;
  readonly own: OwnDirectories;
  readonly abi: number;
  readonly system: PathSystem;
}

/** The session's paths, and the allowed ones. */
export interface AllowedPaths {
  readonly settings: SandboxSettings;
  readonly settled: SettledPaths;
  /** What may be read in addition. */
  readonly reads: readonly PathGrant[];
}

/** The problem: the first that cannot be allowed, and why. */
export function withAllowed(question: AllowedQuestion, allowed: readonly PinnedSubject[]): Outcome<AllowedPaths> {
  const { settings, settled, abi } = question;
  const problem = allowed.map((one) => allowedProblem(one, question)).find((one) => one !== undefined);
  if (problem !== undefined) return failure(problem);
  const allowProtected = [...settings.allowProtected, ...pathsOf("protected", allowed)];
  const writes = allowed.filter(({ kind }) => kind === "write")
    .map(({ path, identity }): PinnedDirectory => ({ path, ...identity }));
  const opened = [...settled.opened, ...writes];
  const trees = opened.map(({ path }) => path);
  const home = settings.home === undefined ? undefined : realPath(settings.home);
  const protect = protectedPaths({ ...settings, allowProtected, trees, home });
  if (!protect.ok) return protect;
  const cache = runtimeCacheProblem(settings, trees);
  if (cache !== undefined) return failure(cache);
  return success({
    settings: { ...settings, allowProtected },
    settled: { ...settled, opened, trees, protect: protect.value },
    reads: allowed.filter(({ kind }) => kind === "read").map((one) => readGrant(one, abi)),
  });
}

/** Whether a path still leads, without any link, to what was there when the person was asked. */
export function stillLeads({ path, identity }: PinnedSubject, system: Pick<PathSystem, "identityOf">): boolean {
  const now = system.identityOf(path);
  return now?.device === identity.device && now.inode === identity.inode && realPath(path) === path;
}

function pathsOf(kind: PinnedSubject["kind"], allowed: readonly PinnedSubject[]): readonly string[] {
  return allowed.filter((one) => one.kind === kind).map(({ path }) => path);
}

function readGrant({ path, identity }: PinnedSubject, abi: number): PathGrant {
  const kind = isDirectory(path) ? "directory" : "file";
  return { path, kind, rights: grantable(READABLE_TREE, abi, kind), identity };
}

function isDirectory(path: string): boolean {
  return expected(() => Deno.statSync(path).isDirectory) === true;
}

function allowedProblem(
  subject: PinnedSubject,
  { settings, settled, own, system }: AllowedQuestion,
): string | undefined {
  const { kind, path } = subject;
  if (kind === "protected") return undefined;
  if (!stillLeads(subject, system)) return `"${path}" is not what it was when the person was asked`;
  const home = settings.home === undefined ? undefined : realPath(settings.home);
  const wide = [home, ...settled.scopes.map((scope) => scope.path)].find((one) =>
    one !== undefined && isWithin(one, path)
  );
  if (wide !== undefined) return `Cannot open "${path}" to commands: it holds "${wide}"`;
  if (kind === "read") return sensitiveProblem(path, settled.sensitive);
  if (!isDirectory(path)) return `Cannot allow writing to "${path}": it is not a directory`;
  const ours = [own.directories.root, own.cache].find((one) => isWithin(one, path) || isWithin(path, one));
  if (ours !== undefined) return `Cannot allow writing to "${path}": the session's own directory "${ours}" is there`;
  return sensitiveProblem(path, settled.sensitive);
}
