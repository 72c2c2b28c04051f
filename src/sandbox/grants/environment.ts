/** The environment of commands, built from nothing (S9): only what is named here or by `--env` is in it. */
import type { SandboxSettings } from "../policy/sandbox_settings.ts";
import { words } from "../../base/text.ts";
import { searchPath } from "../../system/search_path.ts";

/** Passed on as they are, when set. */
const PASSED = words(
  "COLORTERM DENO_TLS_CA_STORE GOTOOLCHAIN HOME LANG LANGUAGE LOGNAME RUSTUP_TOOLCHAIN TZ USER no_proxy NO_PROXY",
);

/** The categories of locale(7), by name: any other LC_ name may carry anything, and ssh servers take them. */
const LOCALE = words(
  "LC_ADDRESS LC_ALL LC_COLLATE LC_CTYPE LC_IDENTIFICATION LC_MEASUREMENT LC_MESSAGES LC_MONETARY LC_NAME LC_NUMERIC",
  "LC_PAPER LC_TELEPHONE LC_TIME",
);

/** Directories of tool chains: passed on, and readable. */
export const TOOLCHAINS = words(
  "ANDROID_HOME ANDROID_SDK_ROOT CONDA_PREFIX GOROOT JAVA_HOME NVM_DIR PYENV_ROOT RUSTUP_HOME SDKMAN_DIR VIRTUAL_ENV",
  "VOLTA_HOME",
);

/** Files and directories of certificates: passed on, and readable. */
export const CERTIFICATES = words(
  "CURL_CA_BUNDLE DENO_CERT GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS PIP_CERT REQUESTS_CA_BUNDLE SSL_CERT_DIR SSL_CERT_FILE",
);

/** Passed on unless the address carries a user name or password. */
const PROXIES = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] as const;

/** Set for every command: nothing may wait for a person (X15). */
const NON_INTERACTIVE: Readonly<Record<string, string>> = {
  DEBIAN_FRONTEND: "noninteractive",
  DENO_NO_PROMPT: "1",
  DENO_NO_UPDATE_CHECK: "1",
  GIT_EDITOR: "true",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  PAGER: "cat",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  PIP_NO_INPUT: "1",
  TERM: "dumb",
  // root's tar gives unpacked files to the owners that archives name, which commands may not do.
  TAR_OPTIONS: "--no-same-owner",
  // rustup cannot write where it keeps tool chains: it uses installed ones, or names a missing one.
  RUSTUP_AUTO_INSTALL: "0",
  npm_config_update_notifier: "false",
};

/** Where hosts are closed, npm, pip and uv retry denied requests within a second, as they retry busy servers. */
const SOON_AGAIN: Readonly<Record<string, string>> = {
  PIP_RETRIES: "2",
  UV_HTTP_RETRIES: "1",
  npm_config_fetch_retry_factor: "5",
  npm_config_fetch_retry_mintimeout: "100",
  pnpm_config_fetch_retry_factor: "5",
  pnpm_config_fetch_retry_mintimeout: "100",
};

/** Those that keep programs from asking, which a command with input does not need. Pagers stay off. */
const ASKING: readonly string[] = words("DEBIAN_FRONTEND DENO_NO_PROMPT GIT_EDITOR GIT_TERMINAL_PROMPT PIP_NO_INPUT");

/** The environment of a command on a terminal: its programs may ask and draw (X22), unless a person set otherwise. */
export function onTerminal(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const isOurs = (name: string, value: string) => NON_INTERACTIVE[name] === value;
  const kept = Object.entries(environment).filter(([name, value]) => !(ASKING.includes(name) && isOurs(name, value)));
  return { ...Object.fromEntries(kept), ...isOurs("TERM", environment["TERM"] ?? "") && { TERM: "xterm-256color" } };
}

/** Sub-directories of the private cache by the variable that names them: caches, and what is installed for the user. */
const CACHES: Readonly<Record<string, string>> = {
  BUNDLE_USER_HOME: "bundle",
  BUN_INSTALL: "bun",
  CABAL_DIR: "cabal",
  CARGO_HOME: "cargo",
  COMPOSER_HOME: "composer",
  CONAN_HOME: "conan",
  COURSIER_CACHE: "coursier",
  DENO_DIR: "deno",
  DOTNET_CLI_HOME: "dotnet",
  GOCACHE: "go-build",
  GOMODCACHE: "go-mod",
  GOPATH: "go",
  GRADLE_USER_HOME: "gradle",
  MAVEN_USER_HOME: "maven",
  NUGET_PACKAGES: "nuget",
  PIP_CACHE_DIR: "pip",
  PNPM_HOME: "pnpm",
  PUB_CACHE: "pub",
  PYTHONUSERBASE: "python",
  UV_CACHE_DIR: "uv",
  UV_TOOL_BIN_DIR: "python/bin",
  UV_TOOL_DIR: "uv-tools",
  XDG_CACHE_HOME: "xdg",
  YARN_CACHE_FOLDER: "yarn",
  YARN_GLOBAL_FOLDER: "yarn-global",
  npm_config_cache: "npm",
  npm_config_prefix: "npm-global",
  // From version 11 on; elsewhere pnpm makes its store in the project, as it cannot link into it from another mount.
  pnpm_config_store_dir: "pnpm-store",
};

/** Where package managers put programs, below the private cache; `pnpm` puts some into its home itself. */
const INSTALLED = words("cargo/bin go/bin npm-global/bin pnpm pnpm/bin python/bin bun/bin");

/** Options for programs that know no variable of their own for their cache. */
function javaOptions(cache: string): Readonly<Record<string, string>> {
  const sbt = { "sbt.global.base": "sbt", "sbt.boot.directory": "sbt/boot", "sbt.ivy.home": "ivy" };
  const options = Object.entries(sbt).map(([name, directory]) => `-D${name}=${cache}/${directory}`);
  return { MAVEN_OPTS: `-Dmaven.repo.local=${cache}/maven/repository`, SBT_OPTS: options.join(" ") };
}

/** Tool chains that programs look for below HOME where these do not say where they are. */
const MANAGERS: Readonly<Record<string, string>> = {
  ASDF_DATA_DIR: ".asdf",
  MISE_DATA_DIR: ".local/share/mise",
  NODENV_ROOT: ".nodenv",
  PYENV_ROOT: ".pyenv",
  RBENV_ROOT: ".rbenv",
  RUSTUP_HOME: ".rustup",
  VOLTA_HOME: ".volta",
};

/** Options that starters of Java programs pass on: Java itself takes the home of the user from the system. */
const JAVA_OPTIONS = words("ANT_OPTS GRADLE_OPTS JAVA_OPTS LEIN_JVM_OPTS MAVEN_OPTS SBT_OPTS");

/** The directory of a scope's cache that is HOME of its commands with `--private-home`. */
export function privateHome(cache: string): string {
  return `${cache}/home`;
}

/** Leads programs to the private home, and to tool chains in the user's. */
function usePrivateHome(environment: Record<string, string>, { cacheDirectory, home }: EnvironmentPlan): void {
  for (const [name, directory] of Object.entries(MANAGERS)) environment[name] ??= `${home}/${directory}`;
  environment["HOME"] = privateHome(cacheDirectory);
  for (const name of JAVA_OPTIONS) {
    environment[name] = `${environment[name] ?? ""} -Duser.home=${environment["HOME"]}`.trim();
  }
}

/** Names that load code into every program or shell, or belong to this program: not even `--env` passes them. */
const NEVER = /^(AHMA_.*|LD_.*|DYLD_.*|BASH_ENV|ENV|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|PS4|BASH_FUNC_.*|GCONV_PATH)$/;

export interface EnvironmentPlan
  extends
    Pick<SandboxSettings, "serverEnvironment" | "environmentNames" | "shell" | "home" | "privateHome" | "serverHome"> {
  readonly confinement: Pick<SandboxSettings["confinement"], "network">;
  /** Undefined with `--no-temp-files`. */
  readonly temporaryDirectory: string | undefined;
  readonly cacheDirectory: string;
  /** The sanitised git configuration. */
  readonly gitConfiguration: string;
  /** Variables that name copies of the user's configuration of package managers. */
  readonly configuration: Readonly<Record<string, string>>;
}

/** The variables every command starts with. Pure. */
export function buildEnvironment(plan: EnvironmentPlan): Readonly<Record<string, string>> {
  const { cacheDirectory: cache } = plan;
  // Programs that commands install shadow nothing.
  const path = [
    ...searchPath(plan.serverEnvironment["PATH"]),
    ...INSTALLED.map((directory) => `${cache}/${directory}`),
  ];
  const environment: Record<string, string> = { PATH: path.join(":") };
  const pass = (name: string) => {
    const value = plan.serverEnvironment[name];
    if (value !== undefined) environment[name] = value;
  };
  [...PASSED, ...TOOLCHAINS, ...CERTIFICATES].forEach(pass);
  LOCALE.forEach(pass);
  PROXIES.filter((name) => !plan.serverEnvironment[name]?.includes("@")).forEach(pass);
  environment["LANG"] ??= "C.UTF-8";
  environment["SHELL"] = plan.shell;
  Object.assign(environment, NON_INTERACTIVE, plan.confinement.network === "full" ? {} : SOON_AGAIN);
  for (const [name, directory] of Object.entries(CACHES)) environment[name] = `${cache}/${directory}`;
  Object.assign(environment, javaOptions(cache));
  Object.assign(environment, plan.configuration);
  if (plan.serverHome !== undefined) environment["HOME"] = plan.serverHome;
  if (plan.privateHome) usePrivateHome(environment, plan);
  environment["GIT_CONFIG_GLOBAL"] = plan.gitConfiguration;
  if (plan.temporaryDirectory !== undefined) environment["TMPDIR"] = plan.temporaryDirectory;
  plan.environmentNames.filter((name) => !isForbiddenVariable(name)).forEach(pass);
  return environment;
}

/** Whether a variable may never be handed to a command by `--env`. */
export function isForbiddenVariable(name: string): boolean {
  return NEVER.test(name);
}

/** What these variables of the environment point at, so that the policy can make it readable. */
export function absolutePaths(names: readonly string[], server: Readonly<Record<string, string>>): readonly string[] {
  return names.map((name) => server[name]).filter((path) => path !== undefined).filter((path) => path.startsWith("/"));
}
