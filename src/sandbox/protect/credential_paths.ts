/** Places of credentials and private history (S7): never opened by name, and covered in a wider tree. */
import { withoutTrailing, words } from "../../base/text.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { SandboxSettings } from "../policy/sandbox_settings.ts";
import { absolutePath, isWithin, placeOf, realPath } from "../../system/paths.ts";
import { runtimeDirectory, XDG_DIRECTORIES } from "../../system/user_directories.ts";

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

/** The canonical closed places, missing ones too, or why one cannot be opened. `more`: sensitive only here. */
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
 * Why `--read` or `--write` of `path`, or a scope there, is refused; undefined when it may be. Canonical paths. The
 * entry of a server, which has a private home, can open none.
 */
export function sensitiveProblem(
  path: string,
  places: readonly string[],
  { serverHome }: Pick<SandboxSettings, "serverHome"> = {},
): string | undefined {
  const closed = places.find((place) => isWithin(path, place));
  if (closed === undefined) return undefined;
  const [who, remedy] = serverHome === undefined
    ? ["commands", `If they need it, allow it with --allow-read-sensitive ${closed}`]
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
    // A reader of the tokens there could type into operations of other servers.
    runtimeDirectory(serverEnvironment),
  ];
  // A link to credentials is as sensitive as they are, so both the name and its target are closed.
  return [...new Set(places.flatMap((place) => [place, placeOf(place)]))];
}

function allowProblem(given: string, real: string, all: readonly string[]): string {
  const place = all.find((one) => isWithin(real, one));
  return place === undefined
    ? `Cannot use --allow-read-sensitive "${given}": it is not a path of credentials. Open it with --read "${given}"`
    : `Cannot open "${given}" alone: "${place}" is closed as a whole. Name that, or copy what is needed`;
}

/** The variable names a directory that replaces one below home. */
const DIRECTORIES: Readonly<Record<string, string>> = {
  AZURE_CONFIG_DIR: ".azure",
  CARGO_HOME: ".cargo",
  CLAUDE_CONFIG_DIR: ".claude",
  CLOUDSDK_CONFIG: ".config/gcloud",
  CODEX_HOME: ".codex",
  COMPOSER_HOME: ".composer",
  DOCKER_CONFIG: ".docker",
  GH_CONFIG_DIR: ".config/gh",
  GNUPGHOME: ".gnupg",
  GRADLE_USER_HOME: ".gradle",
  HF_HOME: ".cache/huggingface",
  PASSWORD_STORE_DIR: ".password-store",
  PULUMI_HOME: ".pulumi",
  ...XDG_DIRECTORIES,
};

/** The variable names the file itself, or several with colons between. */
const FILES = words(
  "AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE BOTO_CONFIG GOOGLE_APPLICATION_CREDENTIALS KUBECONFIG OCI_CLI_CONFIG_FILE",
  "HF_TOKEN_PATH NETRC NPM_CONFIG_USERCONFIG npm_config_userconfig PGPASSFILE RCLONE_CONFIG SOPS_AGE_KEY_FILE",
  "HISTFILE TF_CLI_CONFIG_FILE XAUTHORITY",
);

/** `HISTFILE=/dev/null` names no credentials, and commands need the device. */
const OF_THE_SYSTEM = ["/dev", "/proc", "/sys"] as const;

/**
 * The places of `names` (below home) that the variables move, as they spell them, and what is moved on its own. What
 * holds home would hide all of it, so it is left out. `home`: canonical; undefined: unknown.
 */
export function movedPlaces(
  names: readonly string[],
  environment: Readonly<Record<string, string>>,
  home: string | undefined,
): readonly string[] {
  const moved = Object.entries(DIRECTORIES).flatMap(([variable, directory]) => {
    const given = environment[variable];
    if (given === undefined) return [];
    const value = withoutTrailing(given, "/");
    return names.filter((name) => isWithin(name, directory)).map((name) => value + name.slice(directory.length));
  });
  const files = FILES.flatMap((variable) => environment[variable]?.split(":") ?? []);
  return [...moved, ...files].filter((place) =>
    place.startsWith("/") && place !== "/" && !(home !== undefined && isWithin(home, place)) &&
    !OF_THE_SYSTEM.some((tree) => isWithin(place, tree))
  );
}
