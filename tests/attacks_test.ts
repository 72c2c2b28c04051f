/** What holds the attack catalogue itself to account; its rows are in attacks_*_test.ts beside it. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import type { Row, Way } from "./attacks/frame/attack.ts";
import { AWAITED } from "./attacks/frame/awaited.ts";
import { CATALOGUE } from "./attacks/catalogue.ts";
import { ExtendedAttributes } from "./attacks/means/extended_attributes.ts";
import { Post } from "./attacks/frame/post.ts";
import type { Kind } from "./attacks/frame/range.ts";
import { RESIDUAL_RISKS, STOPPED_BY_NAMESPACES } from "./attacks/frame/residual_risks.ts";
import { runAttack } from "./attacks/frame/run_attack.ts";
import { ROOT } from "./_support/repository.ts";
import { usersAtHand } from "./_support/workbench.ts";

const SECURITY = new URL("../docs/security.md", import.meta.url).pathname;

Deno.test("S14 S8 a server without a sandbox is detected, and so is an attack without effect", async () => {
  const [user = "ordinary"] = usersAtHand();
  using attributes = new ExtendedAttributes();
  await using sandboxed = await Post.start(user, { enforced: false });
  await using bare = await Post.start(user, { enforced: false });
  const servers = {
    user,
    attributes,
    flags: [],
    prefix: [],
    extended: false,
    brief: true,
    controlledBy: undefined,
    shared: (kind: Kind) => Promise.resolve({ sandboxed, bare }[kind]),
    post: () => Promise.reject(new Error("No row here asks for a server of its own")),
    renew: () => Promise.resolve(),
  };
  const rows: readonly Row[] = [
    { id: "T1", title: "reads", users: [user], aim: "read", ways: { cat: ({ secret }) => `cat ${secret}` } },
    { id: "T2", title: "writes", users: [user], aim: "write", ways: { touch: ({ out }) => `touch -d @1 ${out}` } },
    {
      id: "T3",
      title: "kills",
      users: [user],
      aim: "victim",
      ways: { kill: { victim: true, does: ({ victim }) => `kill -STOP ${victim}` } },
    },
    { id: "T4", title: "does nothing", users: [user], aim: "read", ways: { true: () => "true" } },
    { id: "T5", title: "needs more", users: [user], aim: "read", ways: { none: missingProgram() } },
  ];
  const verdicts: string[] = [];
  for (const row of rows) verdicts.push((await runAttack(row, servers)).verdict);
  const missing = Deno.env.get("CI") === "true" ? "program missing" : "not applicable";
  assert.deepStrictEqual(verdicts, ["allowed", "allowed", "allowed", "control failed", missing]);
});

function missingProgram(): Way {
  return { does: () => "true", needs: { programs: ["no-such-program-anywhere"] } };
}

Deno.test("S3 every row has one id, and every list names rows that exist", () => {
  const ids = CATALOGUE.map(({ id }) => id);
  assert.deepStrictEqual(ids.filter((id, index) => ids.indexOf(id) !== index), [], "twice");
  const named = [...Object.keys(AWAITED), ...Object.keys(RESIDUAL_RISKS), ...STOPPED_BY_NAMESPACES];
  assert.deepStrictEqual(named.filter((id) => !ids.includes(id)), [], "no such row");
});

Deno.test("S3 each test file that has the proof of a row is there", () => {
  const proofs = CATALOGUE.map((row) => "notApplicable" in row ? row.notApplicable : "");
  const named = proofs.flatMap((proof) => proof.match(/\b(?:src|tests)\/[\w/*]+_test\.ts/g) ?? []);
  assert.ok(named.length > 5);
  assert.deepStrictEqual(named.filter((path) => globSync(path, { cwd: ROOT.pathname }).length === 0), []);
});

Deno.test({
  name: "S14 docs/security.md owns up to every residual risk",
  fn: async () => {
    const text = await Deno.readTextFile(SECURITY);
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => {
      return heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
    });
    const lost = Object.entries(RESIDUAL_RISKS).filter(([, { anchor }]) => !anchors.includes(anchor));
    assert.deepStrictEqual(lost, []);
  },
});
