/**
 * Places of credentials and of private history (S7). None is ever opened to commands: what a person names may not be
 * or lie in one, and where a wider tree holds some they are covered, which takes namespaces.
 */
import { withoutTrailing } from "../../base/without_trailing.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { movedPlaces } from "./credential_overrides.ts";
import { absolutePath, isWithin, placeOf, realPath } from "../../system/paths.ts";

/** Below home. */
const SENSITIVE = [
  ".Xauthority",
  ".aws",
  ".azure",
  ".bash_history",
  ".boto",
  ".cache/huggingface/stored_tokens",
  ".cache/huggingface/token",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".claude.json",
  ".claude/.credentials.json",
  ".codex/auth.json",
  ".composer/auth.json",
  ".config/BraveSoftware",
  ".config/chromium",
  ".config/containers/auth.json",
  ".config/gcloud",
  ".config/gh",
  ".config/git/credentials",
  ".config/github-copilot",
  ".config/glab-cli",
  ".config/google-chrome",
  ".config/hub",
  ".config/microsoft-edge",
  ".config/op",
  ".config/opera",
  ".config/rclone",
  ".config/sops",
  ".config/vivaldi",
  ".docker",
  ".gem/credentials",
  ".gemini",
  ".git-credentials",
  ".gnupg",
  ".gradle/gradle.properties",
  ".kube",
  ".lesshst",
  ".local/share/fish/fish_history",
  ".local/share/keyrings",
  ".local/state/ahma",
  ".m2/settings-security.xml",
  ".m2/settings.xml",
  ".mozilla",
  ".my.cnf",
  ".mysql_history",
  ".netrc",
  ".node_repl_history",
  ".npmrc",
  ".oci",
  ".password-store",
  ".pgpass",
  ".psql_history",
  ".pulumi/credentials.json",
  ".pypirc",
  ".python_history",
  ".s3cfg",
  ".sh_history",
  ".ssh",
  ".subversion/auth",
  ".terraform.d",
  ".terraformrc",
  ".thunderbird",
  ".vault-token",
  ".viminfo",
  ".yarnrc.yml",
  ".zsh_history",
] as const;

/** Where to look. */
export interface SensitiveQuestion {
  readonly environment: Readonly<Record<string, string>>;
  /** As the environment gives it. */
  readonly home: string | undefined;
  readonly workingDirectory: string;
  /** `--allow-read-sensitive`, as given. */
  readonly allow: readonly string[];
  /** Names below home that are sensitive on this system only; absent: none. */
  readonly more?: readonly string[];
}

/** The canonical places that stay closed, those that do not exist included, or why one cannot be opened. */
export function sensitivePlaces(question: SensitiveQuestion): Outcome<readonly string[]> {
  const all = allPlaces(question);
  const open: string[] = [];
  for (const given of question.allow) {
    const path = withoutTrailing(absolutePath(given, question.workingDirectory), "/") || "/";
    const real = realPath(path) ?? path;
    if (!all.includes(real)) return failure(allowProblem(given, real, all));
    open.push(real);
  }
  return success(all.filter((place) => !open.includes(place)));
}

/** Why `--read` or `--write` of `path`, or a scope there, is refused; undefined when it may be. Canonical paths. */
export function sensitiveProblem(path: string, places: readonly string[]): string | undefined {
  const closed = places.find((place) => isWithin(path, place));
  return closed === undefined
    ? undefined
    : `Cannot open "${path}" to commands: "${closed}" is a place of credentials. ` +
      `If they must have it, insist with --allow-read-sensitive ${closed}`;
}

/** Whether opening `path` would open one of the places. Canonical paths. */
export function holdsSensitive(path: string, places: readonly string[]): boolean {
  return places.some((place) => isWithin(place, path) || isWithin(path, place));
}

function allPlaces({ environment, home, more = [] }: SensitiveQuestion): readonly string[] {
  const realHome = home === undefined ? undefined : realPath(home);
  const places = [
    ...realHome === undefined ? [] : [...SENSITIVE, ...more].map((name) => `${realHome}/${name}`),
    ...movedPlaces(SENSITIVE, environment, realHome),
  ];
  // A link to the credentials is as good as they are, so both the name and what it leads to are closed.
  return [...new Set(places.flatMap((place) => [place, placeOf(place)]))];
}

function allowProblem(given: string, real: string, all: readonly string[]): string {
  const place = all.find((one) => isWithin(real, one));
  return place === undefined
    ? `Cannot use --allow-read-sensitive "${given}": it is no place of credentials. Open it with --read "${given}"`
    : `Cannot open "${given}" alone: "${place}" is closed as a whole. Name that, or copy what is needed`;
}
