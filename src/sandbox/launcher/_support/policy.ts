import { DEFAULT_CONFINEMENT } from "../../policy/confinement.ts";
import type { SandboxPolicy } from "../../policy/policy.ts";

/** For tests of tables: a policy with everything on, of an ordinary user. */
export const POLICY: SandboxPolicy = {
  writable: [{ path: "/project", device: 1n, inode: 2n }],
  grants: [{ path: "/usr", kind: "directory", rights: 0xd }],
  abi: 7,
  namespaces: true,
  keptCapabilities: [],
  confinement: {
    ...DEFAULT_CONFINEMENT,
    ownNetwork: false,
    filter: true,
    countedByNamespace: true,
    ceilings: { openFiles: 1024 },
    tasksAtStart: 300,
  },
  user: { uid: 1000, gid: 1000 },
};
