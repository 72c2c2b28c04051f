/**
 * The official conformance suite's scenarios of authorization (O3-O5) against the real program: `auth login` with a
 * browser that is curl, then `list-tools --http`, or `call` where a scenario asks for more scopes.
 */
import assert from "node:assert/strict";
import { ROOT } from "./_support/repository.ts";
import { Workbench } from "./_support/workbench.ts";

/** The runtime runs it: its engines ask for a newer Node than many have. */
const SUITE = ["run", "--allow-all", "--no-config", "--quiet", "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12"];

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Flows without a person, which no version requires. */
const EXTENSIONS = ["client-credentials-jwt", "client-credentials-basic", "enterprise-managed-authorization"]
  .concat("dpop", "dpop-nonce", "wif-jwt-bearer");

/** The checks of each scenario that were made, by its name; of a scenario that the command leaves out too. */
async function runSuite(bench: Workbench, version: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const output = `${bench.elsewhere}/${version}`;
  const command = new URL("tests/conformance/client_command.sh", ROOT).pathname;
  await new Deno.Command(Deno.execPath(), {
    args: [...SUITE, "client", "--command", command, "--requirements", version, "-o", output],
    env: { CONFORMANCE_PROGRAM: new URL("dist/ahma_mcp", ROOT).pathname, AHMA_DENO: Deno.execPath() },
    stdin: "null",
  }).output();
  const checks = new Map<string, readonly Check[]>();
  for await (const { name } of Deno.readDir(`${output}/auth`)) {
    const scenario = /^(.*)-\d{4}-\d\d-\d\dT.*$/.exec(name)?.[1] ?? name;
    checks.set(scenario, JSON.parse(await Deno.readTextFile(`${output}/auth/${name}/checks.json`)));
  }
  return checks;
}

/** How many scenarios of authorization each version requires, so that none gets lost in silence. */
const VERSIONS = [["2025-11-25", 14], ["2026-07-28", 25]] as const;

for (const [version, required] of VERSIONS) {
  Deno.test(`O3 O4 the conformance suite's scenarios of authorization of ${version} pass`, async () => {
    using bench = new Workbench();
    const checks = await runSuite(bench, version);
    const scenarios = [...checks.keys()].filter((scenario) => !EXTENSIONS.includes(scenario));
    const failed = scenarios.filter((scenario) => {
      const list = checks.get(scenario) ?? [];
      return !list.some(({ status }) => status === "SUCCESS") ||
        list.some(({ status }) => status === "FAILURE" || status === "WARNING");
    });
    const why = failed.map((scenario) => {
      return [scenario, checks.get(scenario)?.filter(({ status }) => status !== "SUCCESS" && status !== "INFO")];
    });
    assert.deepStrictEqual(failed, [], JSON.stringify(why, null, 1));
    assert.deepStrictEqual(scenarios.length, required, scenarios.join(" "));
  });
}
