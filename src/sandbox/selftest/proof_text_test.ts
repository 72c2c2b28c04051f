import assert from "node:assert/strict";
import { DEFAULT_CONFINEMENT } from "../policy/confinement.ts";
import type { SandboxPolicy } from "../policy/policy.ts";
import type { FileFacts } from "../../system/libc.ts";
import { type ProofMachine, type ProofSubject, proofText } from "./proof_text.ts";

const TREE = { path: "/work", device: 1n, inode: 2n };
const POLICY: SandboxPolicy = {
  writable: [TREE],
  grants: [{ path: "/usr", kind: "directory", rights: 13 }],
  abi: 7,
  namespaces: true,
  keptCapabilities: [],
  confinement: {
    ...DEFAULT_CONFINEMENT,
    ownNetwork: false,
    filter: true,
    countedByNamespace: true,
    ceilings: {},
    tasksAtStart: 9,
  },
  user: { uid: 1000, gid: 1000 },
};
const SUBJECT: ProofSubject = { policy: POLICY, isGrouped: false, program: ["/bin/deno", "/opt/ahma_mcp.mjs"] };
const FILE: FileFacts = {
  kind: "file",
  device: 1n,
  inode: 3n,
  size: 5n,
  changedAt: 7n,
  mode: 0o755,
  links: 1,
  uid: 0,
  gid: 0,
};
const STATUS = "Name:\tdeno\nUid:\t1000\nCapEff:\t0\nNoNewPrivs:\t0\nSeccomp:\t0\nVmRSS:\t1 kB\n";

function machine(proc: Readonly<Record<string, string | undefined>> = {}, file: FileFacts | undefined = FILE) {
  const texts: Readonly<Record<string, string | undefined>> = { "/proc/self/status": STATUS, ...proc };
  const text = (path: string) => path in texts ? texts[path] : `text of ${path}`;
  return {
    readProc: text,
    identityOf: (path) => ({ device: 4n, inode: BigInt(text(path)?.length ?? 0) }),
    lookAt: () => file,
  } satisfies ProofMachine;
}

const USUAL = proofText(SUBJECT, machine());

function withPolicy(more: Partial<SandboxPolicy>): string | undefined {
  return proofText({ ...SUBJECT, policy: { ...POLICY, ...more } }, machine());
}

function withConfinement(more: Partial<SandboxPolicy["confinement"]>): string | undefined {
  return withPolicy({ confinement: { ...POLICY.confinement, ...more } });
}

Deno.test("S3 proofText() is one line that another session of the same has too", () => {
  assert.ok(USUAL !== undefined && !USUAL.includes("\n"));
  const same = {
    "another project": withPolicy({ writable: [{ ...TREE, path: "/other", inode: 8n }] }),
    "other paths to read": withPolicy({ grants: [{ path: "/opt", kind: "directory", rights: 13 }] }),
    "more processes": withConfinement({ tasksAtStart: 10 }),
    "more memory used": proofText(SUBJECT, machine({ "/proc/self/status": STATUS.replace("1 kB", "2 kB") })),
  };
  for (const [what, text] of Object.entries(same)) assert.strictEqual(text, USUAL, what);
});

Deno.test("S3 proofText() differs with all that decides which layers hold", () => {
  const different = {
    "boot": proofText(SUBJECT, machine({ "/proc/sys/kernel/random/boot_id": "b" })),
    "kernel": proofText(SUBJECT, machine({ "/proc/sys/kernel/osrelease": "6" })),
    "build of the kernel": proofText(SUBJECT, machine({ "/proc/sys/kernel/version": "#2" })),
    "no more namespaces": proofText(SUBJECT, machine({ "/proc/sys/user/max_user_namespaces": "0" })),
    "a filter of system calls": proofText(SUBJECT, machine({ "/proc/self/status": `${STATUS}Seccomp_filters:\t1\n` })),
    "capabilities": proofText(SUBJECT, machine({ "/proc/self/status": STATUS.replace("CapEff:\t0", "CapEff:\t1") })),
    "a container": proofText(SUBJECT, machine({ "/proc/self/ns/mnt": "" })),
    "another program": proofText(SUBJECT, machine({}, { ...FILE, inode: 4n })),
    "a rewritten program": proofText(SUBJECT, machine({}, { ...FILE, changedAt: 8n })),
    "control groups": proofText({ ...SUBJECT, isGrouped: true }, machine()),
    "another user": withPolicy({ user: { uid: 1001, gid: 1000 } }),
    "another ABI": withPolicy({ abi: 6 }),
    "no namespaces": withPolicy({ namespaces: false }),
    "another file system": withPolicy({ writable: [{ ...TREE, device: 9n }] }),
    "other rights": withPolicy({ grants: [{ path: "/usr", kind: "directory", rights: 15 }] }),
    "a private root": withPolicy({ root: { tree: TREE, trees: [], devices: [], points: [] } }),
    "terminals": withPolicy({ terminals: true }),
    "kept capabilities": withPolicy({ keptCapabilities: [1] }),
    "no network": withConfinement({ network: "none" }),
    "no filter": withConfinement({ filter: false }),
    "no sockets": withConfinement({ unixSockets: "deny" }),
    "another limit": withConfinement({ limits: { ...DEFAULT_CONFINEMENT.limits, processes: 1 } }),
  };
  for (const [what, text] of Object.entries(different)) assert.ok(text !== undefined && text !== USUAL, what);
});

Deno.test("S3 S32 proofText() knows none where something is not known, or a list of hosts is tested before the first answer", () => {
  const unknown = {
    "boot": proofText(SUBJECT, machine({ "/proc/sys/kernel/random/boot_id": undefined })),
    "kernel": proofText(SUBJECT, machine({ "/proc/sys/kernel/osrelease": undefined })),
    "rights": proofText(SUBJECT, machine({ "/proc/self/status": undefined })),
    "sources": proofText({ ...SUBJECT, program: [] }, machine()),
    "a program that is gone": proofText(SUBJECT, { ...machine(), lookAt: () => undefined }),
    "a list": withConfinement({ network: "names" }),
  };
  for (const [what, text] of Object.entries(unknown)) assert.strictEqual(text, undefined, what);
});
