/** Where programs keep their credentials if a variable of the server's user moves them (S7). Pure. */
import { withoutTrailing, words } from "../../base/text.ts";
import { XDG_DIRECTORIES } from "../../system/user_directories.ts";
import { isWithin } from "../../system/paths.ts";

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
