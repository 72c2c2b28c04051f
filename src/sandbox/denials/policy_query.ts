/** What the policy grants for a path, by Landlock's rule: the rights of all rules on it and above. Pure. */
import { FS, grantable, WRITABLE_TREE } from "../policy/landlock.ts";
import { isWithin } from "../../system/paths.ts";
import type { SandboxPolicy } from "../policy/policy.ts";

/** How a command may want to use a path. */
export const ACCESSES = ["read", "list", "write", "execute", "create", "remove"] as const;
export type Access = typeof ACCESSES[number];

/** The right that each use takes, on the path itself or (`create`, `remove`) on the directory that holds it. */
const NEEDED: Readonly<Record<Access, number>> = {
  read: FS.readFile,
  list: FS.readDir,
  write: FS.writeFile,
  execute: FS.execute,
  create: FS.makeReg,
  remove: FS.removeFile,
};

/** A mask of `FS` rights on the canonical absolute path `path`; 0: nothing is granted. */
function rightsOn(policy: SandboxPolicy, path: string): number {
  let rights = 0;
  for (const tree of policy.writable) {
    if (isWithin(path, tree.path)) rights |= grantable(WRITABLE_TREE, policy.abi, "directory");
  }
  for (const grant of policy.grants) {
    const covers = grant.kind === "directory" ? isWithin(path, grant.path) : path === grant.path;
    if (covers) rights |= grantable(grant.rights, policy.abi, grant.kind);
  }
  return rights;
}

/** Whether all of `rights` are granted on the canonical path `path`. */
export function isGranted(policy: SandboxPolicy, path: string, rights: number): boolean {
  return (rightsOn(policy, path) & rights) === rights;
}

/** Whether commands may use the canonical path `path` in this way. `create` and `remove` depend on its directory. */
export function allows(policy: SandboxPolicy, path: string, access: Access): boolean {
  const inside = access === "create" || access === "remove" ? path.slice(0, path.lastIndexOf("/")) || "/" : path;
  return isGranted(policy, inside, NEEDED[access]);
}
