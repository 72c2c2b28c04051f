import assert from "node:assert/strict";
import { DEFAULT_CONFINEMENT } from "../policy/confinement.ts";
import { POLICY } from "./_support/policy.ts";
import { offlinePolicy } from "./policy_fallback.ts";

interface Given {
  readonly filter: boolean;
  readonly namespaces?: boolean;
  readonly ownNetwork?: boolean;
  readonly network?: "localhost";
}

Deno.test("T11 offlinePolicy() closes network and Unix sockets by what the system has, and says where it has nothing", () => {
  const given = ({ namespaces = true, ...more }: Given) => {
    const confinement = { ...POLICY.confinement, ...DEFAULT_CONFINEMENT, unixSockets: "allow", ...more } as const;
    const policy = offlinePolicy({ ...POLICY, namespaces, confinement });
    if (policy === undefined) return undefined;
    assert.deepStrictEqual({ ...policy, confinement }, { ...POLICY, namespaces, confinement });
    const { network, unixSockets, ownNetwork } = policy.confinement;
    return `${network}, ${unixSockets}${ownNetwork ? ", own" : ""}`;
  };
  assert.deepStrictEqual({
    filtered: given({ filter: true }),
    "Landlock alone": given({ filter: true, namespaces: false }),
    "own already": given({ filter: true, ownNetwork: true, network: "localhost" }),
    "no filter": given({ filter: false }),
    neither: given({ filter: false, namespaces: false }),
  }, {
    filtered: "none, deny",
    "Landlock alone": "none, deny",
    "own already": "none, deny, own",
    "no filter": "none, deny, own",
    neither: undefined,
  });
});
