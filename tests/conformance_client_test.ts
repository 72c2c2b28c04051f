/**
 * The official conformance suite's client scenarios against the real program (O2-O5): `auth login` with a browser that is
 * curl, then `list-tools --http`, or `call` with the suite's server in `--mcp-config`.
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

/** Flows without a person and schemas of a later date, which no version requires. */
const EXTENSIONS = ["client-credentials-jwt", "client-credentials-basic", "enterprise-managed-authorization"]
  .concat("dpop", "dpop-nonce", "wif-jwt-bearer", "json-schema-2020-12-preservation");

/** What does not pass, each with its reason; docs/servers.md says so. */
const NOT_PASSED_ON: ReadonlyMap<string, string> = new Map([
  ["elicitation-sep1034-client-defaults", "servers cannot ask the user: elicitation is not passed on"],
  ["sep-2322-client-request-state", "the same in the form of 2026-07-28"],
  ["http-custom-headers", "arguments are not mirrored into headers (x-mcp-header)"],
  ["http-invalid-tool-headers", "nothing reads x-mcp-header, so none is wrong"],
]);

/** The checks of each scenario that were made, by its name. */
async function runSuite(bench: Workbench, version: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const output = `${bench.elsewhere}/${version}`;
  const command = new URL("tests/conformance/client_command.sh", ROOT).pathname;
  await new Deno.Command(Deno.execPath(), {
    args: [...SUITE, "client", "--command", command, "--requirements", version, "--timeout", "120000", "-o", output],
    env: { CONFORMANCE_PROGRAM: new URL("dist/ahma_mcp", ROOT).pathname, AHMA_DENO: Deno.execPath() },
    stdin: "null",
  }).output();
  const checks = new Map<string, readonly Check[]>();
  for (const directory of [output, `${output}/auth`]) {
    for await (const { name } of Deno.readDir(directory)) {
      const scenario = /^(.*)-\d{4}-\d\d-\d\dT.*$/.exec(name)?.[1];
      if (scenario === undefined) continue;
      checks.set(scenario, JSON.parse(await Deno.readTextFile(`${directory}/${name}/checks.json`)));
    }
  }
  return checks;
}

/** How many scenarios each version requires, so that none gets lost in silence. */
const VERSIONS = [["2025-11-25", 18], ["2026-07-28", 32]] as const;

for (const [version, required] of VERSIONS) {
  Deno.test(`O2 O3 O4 the conformance suite's client scenarios of ${version} pass`, async () => {
    using bench = new Workbench();
    const checks = await runSuite(bench, version);
    const scenarios = [...checks.keys()].filter((scenario) => !EXTENSIONS.includes(scenario)).sort();
    const failed = scenarios.filter((scenario) => {
      const list = checks.get(scenario) ?? [];
      return !list.some(({ status }) => status === "SUCCESS") ||
        list.some(({ status }) => status === "FAILURE" || status === "WARNING");
    });
    const why = failed.map((scenario) => {
      return [scenario, checks.get(scenario)?.filter(({ status }) => status !== "SUCCESS" && status !== "INFO")];
    });
    // What passes now must not be left out any longer.
    const known = scenarios.filter((scenario) => NOT_PASSED_ON.has(scenario));
    assert.deepStrictEqual(failed, known, JSON.stringify(why, null, 1));
    assert.deepStrictEqual(scenarios.length, required, scenarios.join(" "));
  });
}
