/** The rules of Landlock (landlock(7)): made in the first process, enforced in its child alone. */
import {
  grantable,
  handledNetwork,
  handledRights,
  rulesetAttributeBytes,
  scopesOf,
  WRITABLE_TREE,
} from "../policy/landlock.ts";
import type { PinnedDirectory, SandboxPolicy } from "../policy/policy.ts";
import { O_CLOEXEC } from "../../system/syscalls.ts";
import { PINNED_FD } from "./image/interpreter.ts";
import { comparePlace, type Draft, openPlace, sameDirectoryStep } from "./steps/identity_steps.ts";
import { isPreviewed } from "./steps/preview_steps.ts";

const LANDLOCK_RULE_PATH_BENEATH = 1;
/** A fixed number, so that many entries can name it; close-on-exec like all others. */
export const RULESET_FD = 62;

/** Makes the ruleset of a policy, with a rule for each path that commands may reach. */
export function makeRuleset(draft: Draft, policy: SandboxPolicy): void {
  const { table, sys } = draft;
  const attribute = table.words(handledRights(policy.abi), handledNetwork(policy), scopesOf(policy.abi));
  const ruleset = table.call("create the Landlock ruleset", sys.landlock_create_ruleset, [
    attribute,
    rulesetAttributeBytes(policy.abi),
    0,
  ]);
  const kept = table.call("keep the Landlock ruleset", sys.dup3, [0, RULESET_FD, O_CLOEXEC]);
  table.passOn(ruleset, kept);
  const rights = grantable(WRITABLE_TREE, policy.abi, "directory");
  const allow = (pinned: PinnedDirectory, how: { readonly rights: number; readonly directory: boolean }) =>
    allowPinned(draft, pinned, { ...how, isView: isPreviewed(policy, pinned.path) });
  for (const tree of policy.writable) allow(tree, { rights, directory: true });
  for (const grant of policy.grants) {
    const rights = grantable(grant.rights, policy.abi, grant.kind);
    const { path, identity } = grant;
    if (identity === undefined) allowPath(draft, path, rights);
    else allow({ path, ...identity }, { rights, directory: grant.kind === "directory" });
  }
}

/** From here on the process, and what it starts, reaches only what the rules allow. */
export function enforceRuleset({ table, sys }: Draft): void {
  table.call("enforce Landlock", sys.landlock_restrict_self, [RULESET_FD, 0]);
}

/**
 * What is pinned, looked at once more after the mounts: missing, behind a link now, or another one is fatal. `isView`: it
 * was compared before, and has another identity in the view, which nothing else can change.
 */
function allowPinned(
  draft: Draft,
  pinned: PinnedDirectory,
  { rights, directory, isView }: { readonly rights: number; readonly directory: boolean; readonly isView: boolean },
): void {
  const { table, sys } = draft;
  const { path } = pinned;
  const fd = openPlace(draft, path, { step: `open "${path}"`, directory });
  const kept = table.call(`keep "${path}" open`, sys.dup3, [0, PINNED_FD, O_CLOEXEC]);
  table.passOn(fd, kept);
  if (!isView) comparePlace(draft, PINNED_FD, pinned, sameDirectoryStep(path));
  const rule = table.words(rights, PINNED_FD);
  table.call(`allow "${path}"`, sys.landlock_add_rule, [RULESET_FD, LANDLOCK_RULE_PATH_BENEATH, rule, 0]);
}

/** A readable path: one that is gone, or has a link on its way now, grants nothing and stops nothing. */
function allowPath(draft: Draft, path: string, rights: number): void {
  const { table, sys } = draft;
  if (rights === 0) return;
  const rule = table.words(rights, 0xffffffff); // no descriptor yet: EBADF, not stdin
  const fd = openPlace(draft, path, { step: `open "${path}"`, mode: "soft" });
  table.send(fd, { kind: "data", offset: rule.offset + 8 });
  table.call(`allow "${path}"`, sys.landlock_add_rule, [RULESET_FD, LANDLOCK_RULE_PATH_BENEATH, rule, 0], {
    mode: "soft",
  });
}
