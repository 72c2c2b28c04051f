/**
 * Everything outside this repository that the tests start and read, with its Debian package. npm, PyPI, crates.io, Go's
 * proxy and Maven Central provide the rest while the tests run. Users install Node and npm in their own way, and
 * Debian's essential packages are on every machine (README).
 */
export interface Prerequisite {
  /** A program on the PATH of the tests, a file by its path, or a module of Python as `import NAME`. */
  readonly what: string;
  readonly debianPackage: string;
  /** What needs it. */
  readonly neededBy: string;
}

/** Needed to test another processor on this one. */
const ARM64_LIBRARY = "/usr/aarch64-linux-gnu/lib/libgcc_s.so.1";

/** What decides which package has it. */
export interface Machine {
  readonly arch: typeof Deno.build.arch;
  /** Name and version of the system, as in `debian 12`. */
  readonly release: string;
}

/** Its package, undefined where this machine needs none. */
type PackageOf = string | ((machine: Machine) => string | undefined);
type Row = readonly [what: string, debianPackage: PackageOf, neededBy: string];

/** Whose cargo has its index from GitHub; a newer one stands beside it, without clippy. */
const OLD_CARGO = /^debian 1[12]$/;
/** Whose docker.io has the program itself. */
const ONE_DOCKER = /^(?:debian 1[12]|ubuntu .*)$/;

const ROWS: readonly Row[] = [
  ["git", "git", "git's tools, protected files of repositories, changed files of the gate"],
  ["/usr/bin/python3", "python3", "programs that do what no shell does: sockets, races, system calls"],
  ["python3-config", "python3-dev", "a Python project with an extension in C"],
  ["import ensurepip", "python3-venv", "packages of PyPI, each in an environment of its own"],
  ["import pip", "python3-pip", "tools/python.json"],
  ["import pytest", "python3-pytest", "tools/pytest.json"],
  ["/usr/bin/gcc", "gcc", "programs that play a kernel, stand-ins for the runtime, races, a C project"],
  ["/usr/include/stdlib.h", "libc6-dev", "the same"],
  ["g++", "g++", "a native addon of npm"],
  ["make", "make", "tools/make.json, projects in C and of npm"],
  ["cmake", "cmake", "tools/cmake.json, a C project"],
  ["as", "binutils", "machine code, held against what its source assembles to"],
  ["aarch64-linux-gnu-as", "binutils-aarch64-linux-gnu", "the same for arm64"],
  ["qemu-aarch64", "qemu-user", "launcher and executable for arm64, run"],
  [
    ARM64_LIBRARY,
    ({ arch }) => arch === "aarch64" ? undefined : "libgcc-s1-arm64-cross",
    "the executable for arm64, run",
  ],
  ["pgrep", "procps", "processes that a test looks for, a list of ps as macOS has it, attacks with pkill"],
  ["perl", "perl", "attacks that write and read with programs"],
  ["curl", "curl", "the same, denials of the network, a session without an SDK"],
  ["openssl", "openssl", "attacks that read with programs"],
  ["rsync", "rsync", "tools/ssh.json, an attack that writes with programs"],
  ["ssh", "openssh-client", "tools/ssh.json, the ssh agent of commands"],
  ["/usr/sbin/sshd", "openssh-server", "the same: another machine"],
  ["strace", "strace", "a start of the program, which asks no one"],
  ["/usr/bin/busybox", "busybox-static", "the start script where there is no runtime for it"],
  ["/usr/bin/ruby", "ruby", "the formula for Homebrew"],
  ["/usr/bin/nix-instantiate", "nix-bin", "the package for Nix"],
  ["rg", "ripgrep", "searches, which answer the same with it and without"],
  ["cargo", ({ release }) => OLD_CARGO.test(release) ? "cargo-web" : "cargo", "tools/cargo.json, a Rust project"],
  ["rustfmt", ({ release }) => OLD_CARGO.test(release) ? "rustfmt-web" : "rustfmt", "tools/cargo.json"],
  ["cargo-clippy", ({ release }) => OLD_CARGO.test(release) ? undefined : "rust-clippy", "tools/cargo.json"],
  ["go", "golang-go", "tools/go.json, a Go project"],
  ["mvn", "maven", "tools/maven.json, a Java project"],
  ["javac", "default-jdk-headless", "the same"],
  ["gh", "gh", "tools/gh.json"],
  [
    "docker",
    ({ release }) => ONE_DOCKER.test(release) ? "docker.io" : "docker-cli",
    "tools/docker.json, without its service",
  ],
  ["kubectl", "kubernetes-client", "tools/kubectl.json"],
  ["tmux", "tmux", "terminals of commands"],
  ["vi", "vim-tiny", "editors on a terminal"],
  ["less", "less", "pagers on a terminal"],
  ["sqlite3", "sqlite3", "a console on a terminal"],
  ["chromium-headless-shell", "chromium-headless-shell", "the page of the dashboard, driven as a person would"],
  ["zsh", "zsh", "its completions"],
  ["fish", "fish", "its completions"],
];

/** All that a machine needs. */
export function prerequisitesFor(machine: Machine): readonly Prerequisite[] {
  return ROWS.flatMap(([what, from, neededBy]) => {
    const debianPackage = typeof from === "string" ? from : from(machine);
    return debianPackage === undefined ? [] : { what, debianPackage, neededBy };
  });
}

/** Name and version of the system out of /etc/os-release; empty where that says nothing. */
export function releaseOf(osRelease: string): string {
  const value = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, "m").exec(osRelease)?.[1] ?? "";
  return `${value("ID")} ${value("VERSION_ID")}`.trim();
}

/** The packages of what is missing, each once. */
export function packagesOf(missing: readonly Prerequisite[]): readonly string[] {
  return [...new Set(missing.map(({ debianPackage }) => debianPackage))];
}

/** The command that installs them. */
export function installCommand(missing: readonly Prerequisite[]): readonly string[] {
  return ["apt-get", "install", "-y", "-qq", "--no-install-recommends", ...packagesOf(missing)];
}
