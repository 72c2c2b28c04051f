/** The policy of a command that changes nothing: its trees are seen through a copy-on-write view (S40). */
import { UserError } from "../../../base/errors.ts";
import { FS } from "../../../sandbox/policy/landlock.ts";
import type { PinnedDirectory, SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import { isWithin } from "../../../system/paths.ts";
import type { PreviewView } from "../../command_runner.ts";

type IdentityOf = (path: string) => Pick<PinnedDirectory, "device" | "inode"> | undefined;

/** @throws {UserError} When the system has no views, or something that the command may write to has none. */
export function previewedPolicy(
  policy: SandboxPolicy | undefined,
  view: PreviewView,
  identityOf: IdentityOf,
): SandboxPolicy {
  if (policy?.namespaces !== true) throw new UserError("A preview needs namespaces, which this system refuses");
  const isKept = (path: string) => [...view.own, "/dev"].some((one) => isWithin(path, one));
  const open = [
    ...policy.writable.filter(({ path }) => !isKept(path) && !view.trees.some((tree) => tree.path === path)),
    ...policy.grants.filter(({ path, rights }) => !isKept(path) && (rights & FS.writeFile) !== 0),
  ];
  const [first] = open;
  if (first !== undefined) {
    throw new UserError(
      `A preview would change "${first.path}" itself: take back what was allowed (\`ahma_mcp grants\`)`,
    );
  }
  const pinned = (path: string): PinnedDirectory => {
    const identity = identityOf(path);
    if (identity === undefined) throw new UserError(`The directory "${path}" of the preview is gone: call again`);
    return { path, device: identity.device, inode: identity.inode };
  };
  const { confinement, confinement: { limits } } = policy;
  const fileSize = Math.min(limits.fileSize ?? Infinity, view.mostBytes);
  return {
    ...policy,
    confinement: { ...confinement, limits: { ...limits, fileSize } },
    previewed: view.trees.filter(({ path }) => policy.writable.some((tree) => tree.path === path))
      .map(({ path, upper, work }) => ({ path, upper: pinned(upper), work: pinned(work) })),
  };
}
