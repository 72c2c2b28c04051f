/**
 * What commands may read and execute beyond their scope (S4). Named paths are granted or refused with a reason; found
 * ones only where no command could have planted them.
 */
import { words } from "../../base/text.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { absolutePaths, CERTIFICATES, TOOLCHAINS } from "./environment.ts";
import { searchPath } from "../../system/search_path.ts";
import { DATA_TREE, grantable, READABLE_TREE } from "../policy/landlock.ts";
import {
  absolutePath,
  expected,
  isWithin,
  memoizedLinks,
  type ReadLink,
  realPath,
  trustedPath,
} from "../../system/paths.ts";
import type { PathGrant } from "../policy/policy.ts";
import { holdsSensitive, sensitiveProblem } from "../protect/credential_paths.ts";
import type { SandboxSettings } from "../policy/sandbox_settings.ts";
import { systemPaths, type WantedPath } from "./system_paths.ts";
import { toolchainDirectories } from "./toolchains.ts";

/** Directories that hold too much to be granted because something on the PATH lies in them. */
const TOO_WIDE: ReadonlySet<string> = new Set(words(
  "/ /boot /dev /etc /home /media /mnt /proc /root /run /srv /sys /tmp /usr /var /var/lib /var/tmp",
));

export interface GrantQuestion
  extends Pick<SandboxSettings, "serverEnvironment" | "home" | "workingDirectory" | "reads" | "strict" | "serverHome"> {
  /** The session's directory of private files. */
  readonly files: string;
  readonly abi: number;
  /** Canonical trees commands can write to. */
  readonly writable: readonly string[];
  /** Places that stay closed (credential_paths.ts). */
  readonly sensitive: readonly string[];
  /** What a flag opens by name; absent: nothing. */
  readonly others?: readonly WantedPath[];
  /** Absent: links are read as they are at this moment. */
  readonly targetOf?: ReadLink;
}

/** The grants, or why a `--read` is refused. */
export function readableGrants(question: GrantQuestion): Outcome<readonly PathGrant[]> {
  const named: WantedPath[] = [];
  for (const given of question.reads) {
    const path = namedPath(given, question);
    if (!path.ok) return path;
    named.push({ path: path.value, rights: READABLE_TREE });
  }
  const home = question.home === undefined ? undefined : realPath(question.home);
  const { targetOf = memoizedLinks() } = question;
  const found = automaticPaths(question, home, targetOf).filter(({ path }) =>
    isModest(path, home, question.sensitive) &&
    !(question.strict && home !== undefined && isWithin(path, home))
  );
  const others = question.others ?? [];
  const all = [...systemPaths({ ownProc: true }), ...others, ...found, ...named, {
    path: question.files,
    rights: DATA_TREE,
  }];
  return success(merged(all, question, targetOf));
}

/** A path that a person opens to commands: canonical, or why it is refused. */
export function namedPath(
  given: string,
  question: Pick<GrantQuestion, "workingDirectory" | "writable" | "sensitive" | "serverHome">,
): Outcome<string> {
  const { workingDirectory, writable, sensitive } = question;
  const spelled = absolutePath(given, workingDirectory);
  const real = realPath(spelled);
  if (real === undefined) {
    return failure(`Cannot open "${given}" to commands: it does not exist. Name an existing directory or file`);
  }
  if (trustedPath(spelled, writable) === undefined && !writable.some((tree) => isWithin(real, tree))) {
    return failure(
      `Cannot open "${given}" to commands: the path leads through a directory they can write to, and a link in ` +
        "it could lead anywhere. Name the target itself",
    );
  }
  const problem = sensitiveProblem(real, sensitive, question);
  return problem === undefined ? success(real) : failure(problem);
}

function automaticPaths(
  question: GrantQuestion,
  home: string | undefined,
  targetOf: ReadLink,
): readonly WantedPath[] {
  const { serverEnvironment: environment, writable } = question;
  const resolve = (path: string) => trustedPath(path, writable, targetOf);
  const path = searchPath(environment["PATH"]);
  const homes = absolutePaths(TOOLCHAINS, environment);
  return [
    ...toolchainDirectories({ path, home, homes, resolve }).map((tree) => ({ path: tree, rights: READABLE_TREE })),
    ...absolutePaths(CERTIFICATES, environment).map((file) => ({ path: file, rights: DATA_TREE })),
  ].flatMap((wanted) => {
    const real = resolve(wanted.path);
    return real === undefined ? [] : [{ ...wanted, path: real }];
  });
}

/** Neither wide nor a place of credentials. Canonical paths. */
function isModest(path: string, home: string | undefined, sensitive: readonly string[]): boolean {
  return !TOO_WIDE.has(path) && path !== home && !holdsSensitive(path, sensitive);
}

/** Follows the links of the remaining paths; drops missing ones, and those that a wider grant covers. */
function merged(
  wanted: readonly WantedPath[],
  { abi, writable }: GrantQuestion,
  targetOf: ReadLink,
): readonly PathGrant[] {
  const grants: PathGrant[] = [];
  for (const { path, rights, kind: known } of wanted) {
    const real = known === undefined ? trustedPath(path, writable, targetOf) : path;
    if (real === undefined) continue;
    const kind = known ?? expected(() => Deno.statSync(real).isDirectory ? "directory" : "file");
    if (kind === undefined) continue;
    const granted = grantable(rights, abi, kind);
    const covered = grants.some((one) => isWithin(real, one.path) && (one.rights & granted) === granted);
    if (!covered) grants.push({ path: real, kind, rights: granted });
  }
  return grants;
}
