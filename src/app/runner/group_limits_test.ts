import assert from "node:assert/strict";
import { failure, success } from "../../base/outcome.ts";
import { POLICY } from "../../sandbox/launcher/_support/policy.ts";
import { groupLine, type TreeBounds, unheldTotal } from "./group_limits.ts";

const GIB = 1024 ** 3;
const MADE = { directory: "/g/ahma_mcp-7", together: { memory: 8 * GIB, tasks: 900 } };
const BOTH: TreeBounds["groups"] = success({ ...MADE, controllers: ["memory", "pids"] });
const TASKS_ONLY: TreeBounds["groups"] = success({ ...MADE, controllers: ["pids"] });
const NONE: TreeBounds["groups"] = failure("none are mounted");
const ROOT = { ...POLICY, user: { uid: 0, gid: 0 } };
const OLD_ROOT = { ...ROOT, confinement: { ...ROOT.confinement, countedByNamespace: false } };

Deno.test("S38 groupLine() says where groups are and what they hold, or what is missing", () => {
  assert.deepStrictEqual([BOTH, TASKS_ONLY, NONE].map((groups) => groupLine({ groups, policy: POLICY })), [
    "one for each command in /g/ahma_mcp-7; all commands together: at most 8.0 GiB and 900 processes",
    "one for each command in /g/ahma_mcp-7; all commands together: at most 900 processes; --limit-memory-total cannot be " +
    "enforced: no memory controller here",
    "none: none are mounted; --limit-memory-total cannot be enforced, the PID namespace counts processes",
  ]);
  assert.match(groupLine({ groups: NONE, policy: undefined }), /nothing counts processes of a tree$/);
});

Deno.test("S38 unheldTotal() refuses a total that neither a group nor a namespace counts, and no other", () => {
  const refused = (totals: Parameters<typeof unheldTotal>[0], bounds: TreeBounds) =>
    /^Cannot enforce (--\S+ \d+)/.exec(unheldTotal(totals, bounds) ?? "")?.[1];
  const [memory, tasks] = [{ memory: GIB }, { tasks: 50 }];
  assert.equal(refused({ ...memory, ...tasks }, { groups: BOTH, policy: undefined }), undefined);
  assert.equal(refused(memory, { groups: TASKS_ONLY, policy: POLICY }), "--limit-memory-total 1073741824");
  assert.equal(refused(memory, { groups: NONE, policy: POLICY }), "--limit-memory-total 1073741824");
  assert.equal(refused(tasks, { groups: TASKS_ONLY, policy: undefined }), undefined);
  for (const policy of [POLICY, ROOT]) assert.equal(refused(tasks, { groups: NONE, policy }), undefined);
  for (const policy of [undefined, OLD_ROOT, { ...POLICY, namespaces: false }]) {
    assert.equal(refused(tasks, { groups: NONE, policy }), "--limit-tasks 50");
  }
  assert.equal(refused({}, { groups: NONE, policy: undefined }), undefined);
});
