/**
 * One table of what a session may do, for both back ends: Landlock's rules (asked through the oracle, which the kernel
 * is held against elsewhere) and the Seatbelt profile (asked through the evaluator).
 */
import { confinementHere, DEFAULT_CONFINEMENT } from "../../policy/confinement.ts";
import { DATA_TREE, FS, READABLE_TREE, WRITABLE_DEVICE } from "../../policy/landlock.ts";
import type { SandboxPolicy } from "../../policy/policy.ts";
import type { SeatbeltPolicy } from "../profile.ts";

/** A session, told once for both. Canonical paths. */
export interface Session {
  readonly scopes: readonly string[];
  /** Temp and cache. */
  readonly ours: readonly string[];
  /** `--read` */
  readonly reads: readonly string[];
  /** The session's files that only the server writes. */
  readonly files: string;
  readonly sensitive: readonly string[];
}

export const SESSION: Session = {
  scopes: ["/home/ann/project", "/srv/second"],
  ours: ["/var/tmp/ahma_mcp-1/tmp", "/home/ann/.cache/ahma_mcp/scopes/p"],
  reads: ["/home/ann/library"],
  files: "/var/tmp/ahma_mcp-1/files",
  sensitive: ["/home/ann/.ssh", "/home/ann/.aws"],
};

export type Use = "read" | "write" | "create" | "remove";

/** Reads differ: Landlock opens what is named, Seatbelt all that is not sensitive. */
export interface PolicyCase {
  readonly path: string;
  readonly use: Use;
  readonly landlock: boolean;
  readonly seatbelt: boolean;
}

function changes(allowed: boolean, paths: readonly string[]): readonly PolicyCase[] {
  const uses = ["write", "create", "remove"] as const;
  return paths.flatMap((path) => uses.map((use) => ({ path, use, landlock: allowed, seatbelt: allowed })));
}

function reads(landlock: boolean, seatbelt: boolean, paths: readonly string[]): readonly PolicyCase[] {
  return paths.map((path) => ({ path, use: "read", landlock, seatbelt }));
}

const [YES, NO] = [true, false];

export const POLICY_TABLE: readonly PolicyCase[] = [
  ...changes(YES, [
    "/home/ann/project/a",
    "/home/ann/project/deep/er/a b",
    '/home/ann/project/"))(allow default)',
    "/srv/second/#x\\",
    "/var/tmp/ahma_mcp-1/tmp/t",
    "/home/ann/.cache/ahma_mcp/scopes/p/npm/x",
  ]),
  ...changes(NO, [
    "/home/ann/project-evil/a",
    "/home/ann/projec/a",
    "/home/ann/.bashrc",
    "/home/ann/.ssh/authorized_keys",
    "/home/ann/library/a",
    "/srv/secon/a",
    "/srv/a",
    "/etc/passwd",
    "/usr/bin/ls",
    "/var/tmp/a",
    "/var/tmp/ahma_mcp-1/files/gitconfig",
    "/var/tmp/ahma_mcp-1/owner",
    "/var/tmp/ahma_mcp-2/tmp/t",
    "/home/ann/.cache/ahma_mcp/scopes/q/npm/x",
    "/a",
  ]),
  ...reads(YES, YES, [
    "/home/ann/project/a",
    "/home/ann/library/deep/a",
    "/usr/lib/x",
    "/var/tmp/ahma_mcp-1/tmp/t",
    "/var/tmp/ahma_mcp-1/files/gitconfig",
    "/dev/null",
  ]),
  ...reads(NO, YES, ["/home/ann/notes", "/home/ann/librarian", "/etc/shadow", "/srv/other/a", "/home/ann/.sshx"]),
  ...reads(NO, NO, ["/home/ann/.ssh", "/home/ann/.ssh/id_ed25519", "/home/ann/.aws/credentials"]),
];

/** The session for Linux; the system is what every session gets of it, in short. */
export function landlockPolicy({ scopes, ours, reads, files }: Session): SandboxPolicy {
  return {
    writable: [...scopes, ...ours].map((path, index) => ({ path, device: 1n, inode: BigInt(index) })),
    grants: [
      { path: "/usr", kind: "directory", rights: READABLE_TREE },
      { path: "/dev/null", kind: "file", rights: WRITABLE_DEVICE },
      { path: "/dev/urandom", kind: "file", rights: FS.readFile },
      ...reads.map((path) => ({ path, kind: "directory" as const, rights: READABLE_TREE })),
      { path: files, kind: "directory", rights: DATA_TREE },
    ],
    abi: 7,
    namespaces: true,
    keptCapabilities: [],
    user: { uid: 1000, gid: 1000 },
    confinement: confinementHere(DEFAULT_CONFINEMENT, {
      filtersCalls: () => true,
      readProc: () => undefined,
      limitOf: () => ({ soft: undefined, hard: undefined }),
    }),
  };
}

/** The session for macOS. */
export function seatbeltPolicy({ scopes, ours, sensitive }: Session): SeatbeltPolicy {
  return {
    writable: [...scopes, ...ours],
    sensitive,
    protected: [],
    protectedFiles: [],
    network: "full",
    unixSockets: "deny",
  };
}
