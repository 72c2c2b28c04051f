import assert from "node:assert/strict";
import { DEFAULT_CONFINEMENT } from "../../../sandbox/policy/confinement.ts";
import { PLAIN } from "../../terminal/colours.ts";
import { rowsText } from "./doctor_sandbox.ts";
import { type SandboxFacts, sandboxRows } from "./sandbox_rows.ts";

const POLICY = {
  writable: [],
  grants: [],
  abi: 7,
  namespaces: true,
  keptCapabilities: [],
  confinement: {
    ...DEFAULT_CONFINEMENT,
    network: "none",
    ownNetwork: true,
    filter: true,
    countedByNamespace: false,
    ceilings: {},
    tasksAtStart: 0,
  },
  user: { uid: 1000, gid: 1000 },
} as const;
const FACTS: SandboxFacts = { policy: POLICY, namespaceSettings: [], hidden: 0, temporaryFiles: true };

/** The rows that are not enforced, by id. */
function gaps(facts: SandboxFacts): Record<string, string> {
  return Object.fromEntries(
    sandboxRows(facts).filter(({ state }) => state !== "enforced").map(({ id, state }) => [id, state]),
  );
}

Deno.test("S3 sandboxRows() of a new kernel leaves what no kernel can do", () => {
  assert.deepStrictEqual(gaps(FACTS), { names: "not here", new_protected: "partly" });
  const root = { tree: { path: "/s/root", device: 1n, inode: 1n }, trees: [], devices: [], points: [] };
  assert.deepStrictEqual(gaps({ ...FACTS, policy: { ...POLICY, root } }), { new_protected: "partly" });
});

Deno.test("S2 sandboxRows() names what each older ABI lacks", () => {
  const of = (abi: number) => Object.keys(gaps({ ...FACTS, policy: { ...POLICY, abi } }));
  assert.deepStrictEqual(of(5), ["names", "new_protected", "abstract_sockets"]);
  assert.deepStrictEqual(of(4), ["devices", "names", "new_protected", "abstract_sockets"]);
});

Deno.test("S8 sandboxRows() without namespaces says what is open and which setting refuses them", () => {
  const facts = {
    ...FACTS,
    policy: { ...POLICY, abi: 2, namespaces: false },
    namespaceSettings: ["user.max_user_namespaces=0"],
  };
  assert.deepStrictEqual(gaps(facts), {
    write: "partly",
    devices: "not here",
    metadata: "not here",
    names: "not here",
    protected: "partly",
    new_protected: "partly",
    signals: "not here",
    abstract_sockets: "not here",
    leftovers: "partly",
    shared_memory: "not here",
  });
  const reasons = sandboxRows(facts).filter(({ reason }) => reason.includes("user.max_user_namespaces=0"));
  assert.deepStrictEqual(reasons.map(({ id }) => id), ["metadata", "names", "protected", "shared_memory"]);
});

Deno.test("S8 sandboxRows() tells where the kernel has no IPC namespaces", () => {
  assert.deepStrictEqual(gaps({ ...FACTS, policy: { ...POLICY, sharedIpc: true } }), {
    names: "not here",
    new_protected: "partly",
    shared_memory: "partly",
  });
});

Deno.test("S8 sandboxRows() tells of capabilities that root keeps", () => {
  assert.deepStrictEqual(gaps({ ...FACTS, policy: { ...POLICY, keptCapabilities: [0, 1, 3] } }), {
    names: "not here",
    new_protected: "partly",
    capabilities: "partly",
  });
});

Deno.test("S6 S8 S10 sandboxRows() tells what settings allow and what the system refuses", () => {
  const confinement = {
    ...POLICY.confinement,
    network: "full",
    unixSockets: "allow",
    ownNetwork: false,
    filter: false,
  } as const;
  assert.deepStrictEqual(gaps({ ...FACTS, policy: { ...POLICY, confinement, user: { uid: 0, gid: 0 } } }), {
    names: "not here",
    new_protected: "partly",
    system_calls: "not here",
    network: "allowed",
    unix_sockets: "allowed",
    resources: "partly",
  });
  const denied = { ...confinement, network: "none", unixSockets: "deny" } as const;
  assert.equal(gaps({ ...FACTS, policy: { ...POLICY, confinement: denied } })["unix_sockets"], "not here");
});

Deno.test("L6 rowsText() has one line a row", () => {
  const text = rowsText([
    { id: "a", capability: "do this", state: "enforced", reason: "because" },
    { id: "b", capability: "do", state: "not here", reason: "needs more" },
  ], PLAIN);
  assert.equal(text, "What the sandbox denies\n\nenforced  do this  because\nnot here  do       needs more\n");
});
