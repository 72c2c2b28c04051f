/**
 * The paths of the system a development command needs, and nothing else (S4). Real programs run under
 * these lists in tests/sandbox_programs_test.ts and tests/projects. `/etc` is named file by file because root could read
 * `shadow`.
 */
import { words } from "../../base/text.ts";
import { DATA_TREE, FS, READABLE_TREE, WRITABLE_DEVICE } from "../policy/landlock.ts";
import { expected } from "../../system/paths.ts";

/** A path to grant if it exists; links are followed when the policy is made. */
export interface WantedPath {
  readonly path: string;
  readonly rights: number;
  /** The kind of paths that are fixed and that this program may not inspect (/proc, /dev). */
  readonly kind?: "directory" | "file";
}

const PROGRAM_TREES = words(
  "/usr /bin /sbin /lib /lib32 /lib64 /opt /nix/store /home/linuxbrew/.linuxbrew /snap",
);

const ETC_NAMES = words(
  // Who the machine is, and its users and places by name
  "debian_version lsb-release os-release group passwd hosts host.conf gai.conf nsswitch.conf resolv.conf protocols services",
  // Languages, times and terminals
  "locale.alias localtime timezone inputrc terminfo magic mime.types",
  // Shells, libraries and programs
  "alternatives bash.bashrc profile profile.d ld.so.cache ld.so.conf ld.so.conf.d gitattributes gitconfig npmrc pip.conf",
  "R ant fonts gradle maven nodejs php sbt",
  // Certificates; not all of pki and ssl: keys lie next to them, and root could read them.
  "ca-certificates ca-certificates.conf crypto-policies pki/ca-trust pki/java pki/tls/cert.pem pki/tls/certs",
  "pki/tls/ct_log_list.cnf pki/tls/openssl.cnf pki/tls/openssl.d ssl/ca-bundle.pem ssl/cert.pem ssl/certs",
  "ssl/ct_log_list.cnf ssl/openssl.cnf",
);

/** Directories of `/etc` whose names carry a version. */
const ETC_PREFIXES = ["java-", "perl", "python3"] as const;

const RUN_TREES = ["/run/systemd/resolve", "/run/nscd"] as const;

const READABLE_DEVICES = ["/dev/urandom", "/dev/random"] as const;

/** They discard what is written to them. Test suites write to `/dev/full`, which always fails. */
const WRITABLE_DEVICES = ["/dev/null", "/dev/zero", "/dev/full"] as const;

/** Where commands have pseudo-terminals of their own; what they find at /dev/tty is one of those. */
export const TERMINALS = ["/dev/pts", "/dev/tty"] as const;

/** Without an own /proc only these are shown: facts about the machine, none about processes. */
const PROC_FILES = ["cpuinfo", "filesystems", "loadavg", "meminfo", "stat", "uptime", "version"] as const;

/** Everything of the system to grant; `ownProc` where commands see a /proc of their own. */
export function systemPaths({ ownProc }: { readonly ownProc: boolean }): readonly WantedPath[] {
  return [
    ...PROGRAM_TREES.map((path) => ({ path, rights: READABLE_TREE })),
    ...[...ETC_NAMES, ...versionedEtc()].map((name) => ({ path: `/etc/${name}`, rights: DATA_TREE })),
    ...RUN_TREES.map((path) => ({ path, rights: DATA_TREE })),
    ...WRITABLE_DEVICES.map((path) => ({ path, rights: WRITABLE_DEVICE, kind: "file" as const })),
    ...READABLE_DEVICES.map((path) => ({ path, rights: FS.readFile, kind: "file" as const })),
    ...(ownProc
      ? [{ path: "/proc", rights: DATA_TREE, kind: "directory" as const }]
      : PROC_FILES.map((name) => ({ path: `/proc/${name}`, rights: FS.readFile, kind: "file" as const }))),
  ];
}

function versionedEtc(): readonly string[] {
  // Inside another sandbox, even one of this program, files of /etc can be readable while the directory is not.
  return (expected(() => [...Deno.readDirSync("/etc")]) ?? [])
    .filter((entry) => entry.isDirectory && ETC_PREFIXES.some((prefix) => entry.name.startsWith(prefix)))
    .map((entry) => entry.name)
    .sort();
}
