import assert from "node:assert/strict";
import { DEFAULT_CONFINEMENT } from "../policy/confinement.ts";
import { READABLE_TREE } from "../policy/landlock.ts";
import { ACCESSES, allows } from "./policy_query.ts";
import type { SandboxPolicy } from "../policy/policy.ts";

const POLICY: SandboxPolicy = {
  writable: [{ path: "/work", device: 1n, inode: 2n }],
  grants: [
    { path: "/usr", kind: "directory", rights: READABLE_TREE },
    { path: "/etc/hosts", kind: "file", rights: READABLE_TREE },
  ],
  abi: 7,
  namespaces: true,
  keptCapabilities: [],
  confinement: {
    ...DEFAULT_CONFINEMENT,
    filter: true,
    ownNetwork: false,
    countedByNamespace: true,
    ceilings: {},
    tasksAtStart: 300,
  },
  user: { uid: 1000, gid: 1000 },
};

Deno.test("S15 allows() grants what a rule on the path or above it grants, and nothing else", () => {
  const granted = (path: string) => ACCESSES.filter((access) => allows(POLICY, path, access));
  assert.deepStrictEqual(granted("/work/a"), [...ACCESSES]);
  assert.deepStrictEqual(granted("/work"), ["read", "list", "write", "execute"]);
  assert.deepStrictEqual(granted("/work-evil"), []);
  assert.deepStrictEqual(granted("/usr/bin/env"), ["read", "list", "execute"]);
  assert.deepStrictEqual(granted("/etc/hosts"), ["read", "execute"]);
  assert.deepStrictEqual(granted("/etc/hosts/x"), []);
  assert.deepStrictEqual(granted("/etc"), []);
  assert.deepStrictEqual(granted("/"), []);
});
