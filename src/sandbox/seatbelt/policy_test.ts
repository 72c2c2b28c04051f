import assert from "node:assert/strict";
import { normalize } from "node:path/posix";
import fc from "fast-check";
import { allows } from "../denials/policy_query.ts";
import {
  landlockPolicy,
  POLICY_TABLE,
  seatbeltPolicy,
  SESSION,
  type Session,
  type Use,
} from "./_support/policy_table.ts";
import { SeatbeltEvaluator } from "./_support/sbpl_evaluator.ts";
import { seatbeltProfile } from "./profile.ts";

const OPERATIONS: Readonly<Record<Use, string>> = {
  read: "file-read-data",
  write: "file-write-data",
  create: "file-write-create",
  remove: "file-write-unlink",
};
const USES = ["read", "write", "create", "remove"] as const;

/** What each back end says to a use of a path. */
function backEnds(session: Session) {
  const made = seatbeltProfile(seatbeltPolicy(session));
  if (!made.ok) throw new Error(made.problem);
  const sandbox = new SeatbeltEvaluator(made.value.profile, made.value.parameters);
  const policy = landlockPolicy(session);
  return {
    landlock: (path: string, use: Use) => allows(policy, path, use),
    seatbelt: (path: string, use: Use) => sandbox.allows({ operation: OPERATIONS[use], path }),
  };
}

Deno.test("S11 both back ends decide the table of cases as it says", () => {
  const { landlock, seatbelt } = backEnds(SESSION);
  const decided = POLICY_TABLE.map(({ path, use }) => {
    return { path, use, landlock: landlock(path, use), seatbelt: seatbelt(path, use) };
  });
  assert.deepStrictEqual(decided, POLICY_TABLE);
});

/** Names that a path may hold and that a rule could be broken with. */
const NAME = fc.oneof(
  fc.constantFrom("a", "project", "project-evil", "second", ".ssh", "..", ".", ".git", 'q"))(allow default)', "a b"),
  fc.string({
    unit: fc.constantFrom('"', ")", "(", "\\", "#", " ", ".", "é", "日", "🙂", "'", ";", "a"),
    minLength: 1,
    maxLength: 6,
  }),
);
const START = fc.constantFrom(
  "",
  "/home/ann",
  "/home/ann/project",
  "/srv/second",
  ...SESSION.ours,
  "/home/ann/library",
  "/usr",
);
/** As the kernel resolves it: without `.` and `..`, no closing slash. */
const PATH = fc.tuple(START, fc.array(NAME, { maxLength: 6 })).map(([start, names]) => {
  return normalize([start, ...names].join("/") || "/").replace(/(.)\/$/, "$1");
});

function within(path: string, trees: readonly string[]): boolean {
  return trees.some((tree) => path === tree || path.startsWith(`${tree}/`));
}

Deno.test("S11 both back ends let change exactly what lies in the writable trees, whatever the path", () => {
  const { landlock, seatbelt } = backEnds(SESSION);
  const trees = [...SESSION.scopes, ...SESSION.ours];
  fc.assert(
    fc.property(PATH, fc.constantFrom(...USES), (path, use) => {
      if (use === "read") {
        if (within(path, SESSION.sensitive)) {
          assert.deepStrictEqual([landlock(path, use), seatbelt(path, use)], [false, false]);
        } else if (landlock(path, use)) assert.ok(seatbelt(path, use), path);
        return;
      }
      // A tree itself can be written to, and neither removed nor made again.
      if (trees.includes(path)) return;
      const expected = within(path, trees);
      assert.deepStrictEqual([landlock(path, use), seatbelt(path, use)], [expected, expected], path);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("S11 both back ends take any name a directory can have for a scope", () => {
  const name = NAME.filter((one) => one !== "." && one !== "..");
  fc.assert(fc.property(name, name, (scope, inside) => {
    const { landlock, seatbelt } = backEnds({ ...SESSION, scopes: [`/w/${scope}`] });
    const paths = [`/w/${scope}/${inside}`, `/w/${scope}x/${inside}`, `/w/${inside}x`, `/v/${scope}`];
    const expected = [true, false, scope === `${inside}x`, false];
    assert.deepStrictEqual(paths.map((path) => landlock(path, "write")), expected);
    assert.deepStrictEqual(paths.map((path) => seatbelt(path, "write")), expected);
  }));
});
