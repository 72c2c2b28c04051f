/**
 * Places of credentials and of private history (S7). They are never opened to commands: a named path may not be one or
 * lie in one. In a wider tree they are covered, which requires namespaces.
 */
import { withoutTrailing, words } from "../../base/text.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { SandboxSettings } from "../policy/sandbox_settings.ts";
import { movedPlaces } from "./credential_overrides.ts";
import { absolutePath, isWithin, placeOf, realPath } from "../../system/paths.ts";

/** Below home. */
const SENSITIVE = words(
  // Keys, tokens and passwords
  ".git-credentials .config/git/credentials .gnupg .my.cnf .netrc .password-store .pgpass .ssh .subversion/auth .Xauthority",
  ".config/op .config/sops .local/share/ahma .local/share/keyrings .local/state/ahma .vault-token",
  // Clouds, clusters and containers
  ".aws .azure .boto .config/gcloud .config/rclone .kube .oci .pulumi/credentials.json .s3cfg .terraform.d .terraformrc",
  ".config/containers/auth.json .docker",
  // Forges and agents
  ".config/gh .config/github-copilot .config/glab-cli .config/hub",
  ".claude.json .claude/.credentials.json .codex/auth.json .gemini",
  ".cache/huggingface/stored_tokens .cache/huggingface/token",
  // Registries of packages
  ".cargo/credentials .cargo/credentials.toml .composer/auth.json .gem/credentials .gradle/gradle.properties",
  ".m2/settings-security.xml .m2/settings.xml .npmrc .pypirc .yarnrc.yml",
  // Browsers and mail
  ".config/BraveSoftware .config/chromium .config/google-chrome .config/microsoft-edge .config/opera .config/vivaldi",
  ".mozilla .thunderbird",
  // Histories
  ".bash_history .lesshst .local/share/fish/fish_history .mysql_history .node_repl_history .psql_history",
  ".python_history .sh_history .viminfo .zsh_history",
);

/** Where to look. */
export type SensitiveQuestion = Pick<
  SandboxSettings,
  "serverEnvironment" | "home" | "workingDirectory" | "allowSensitive"
>;

/**
 * The canonical places that stay closed, those that do not exist included, or why one cannot be opened. `more`: names
 * below home that are sensitive on this system only.
 */
export function sensitivePlaces(
  question: SensitiveQuestion,
  more: readonly string[] = [],
): Outcome<readonly string[]> {
  const all = allPlaces(question, more);
  const open: string[] = [];
  for (const given of question.allowSensitive) {
    const path = withoutTrailing(absolutePath(given, question.workingDirectory), "/") || "/";
    const real = realPath(path) ?? path;
    if (!all.includes(real)) return failure(allowProblem(given, real, all));
    open.push(real);
  }
  return success(all.filter((place) => !open.includes(place)));
}

/**
 * Why `--read` or `--write` of `path`, or a scope there, is refused; undefined when it may be. Canonical paths. The entry
 * of a server, which has a private home, can open none.
 */
export function sensitiveProblem(
  path: string,
  places: readonly string[],
  { serverHome }: Pick<SandboxSettings, "serverHome"> = {},
): string | undefined {
  const closed = places.find((place) => isWithin(path, place));
  if (closed === undefined) return undefined;
  const [who, remedy] = serverHome === undefined
    ? ["commands", `If they must have it, insist with --allow-read-sensitive ${closed}`]
    : ["the server", 'Give the server the value in "env", or name a copy elsewhere'];
  return `Cannot open "${path}" to ${who}: "${closed}" is a place of credentials. ${remedy}`;
}

/** Whether opening `path` would open one of the places. Canonical paths. */
export function holdsSensitive(path: string, places: readonly string[]): boolean {
  return places.some((place) => isWithin(place, path) || isWithin(path, place));
}

function allPlaces({ serverEnvironment, home }: SensitiveQuestion, more: readonly string[]): readonly string[] {
  const realHome = home === undefined ? undefined : realPath(home);
  const places = [
    ...realHome === undefined ? [] : [...SENSITIVE, ...more].map((name) => `${realHome}/${name}`),
    ...movedPlaces(SENSITIVE, serverEnvironment, realHome),
  ];
  // A link to the credentials is as good as they are, so both the name and what it leads to are closed.
  return [...new Set(places.flatMap((place) => [place, placeOf(place)]))];
}

function allowProblem(given: string, real: string, all: readonly string[]): string {
  const place = all.find((one) => isWithin(real, one));
  return place === undefined
    ? `Cannot use --allow-read-sensitive "${given}": it is not a path of credentials. Open it with --read "${given}"`
    : `Cannot open "${given}" alone: "${place}" is closed as a whole. Name that, or copy what is needed`;
}
