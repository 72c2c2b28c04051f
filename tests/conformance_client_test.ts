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

/** Further flows without a person and schemas of a later date, which no version requires; two have their own test. */
const EXTENSIONS = ["client-credentials-jwt", "client-credentials-basic", "enterprise-managed-authorization"]
  .concat("dpop", "dpop-nonce", "wif-jwt-bearer", "json-schema-2020-12-preservation");

/** Logins that 2026-07-28 requires too: they come before any version is spoken, so that version proves them for both. */
const LOGINS_OF_BOTH = ["metadata-var1", "metadata-var2", "metadata-var3", "basic-cimd", "pre-registration"]
  .concat("scope-from-www-authenticate", "scope-from-scopes-supported", "scope-omitted-when-undefined")
  .concat("token-endpoint-auth-basic", "token-endpoint-auth-post", "token-endpoint-auth-none");

interface Which {
  /** The suite's words for the scenarios. */
  readonly words: readonly string[];
  /** Scenarios that are not tried. */
  readonly without?: readonly string[];
}

/** The checks of each scenario that was tried, by its name. */
async function runSuite(
  bench: Workbench,
  { words, without = [] }: Which,
): Promise<ReadonlyMap<string, readonly Check[]>> {
  const output = `${bench.elsewhere}/${words.at(-1)}`;
  const command = new URL("tests/conformance/client_command.sh", ROOT).pathname;
  await new Deno.Command(Deno.execPath(), {
    args: [...SUITE, "client", "--command", command, ...words, "--timeout", "120000", "-o", output],
    env: {
      CONFORMANCE_PROGRAM: new URL("dist/ahma_mcp", ROOT).pathname,
      FRONT_CLIENT: new URL("tests/conformance/front_client.ts", ROOT).pathname,
      AHMA_DENO: Deno.execPath(),
      LEFT_OUT: ` ${without.join(" ")} `,
    },
    stdin: "null",
  }).output();
  const checks = new Map<string, readonly Check[]>();
  for (const directory of [output, `${output}/auth`]) {
    for await (const { name } of Deno.readDir(directory)) {
      const scenario = /^(.*)-\d{4}-\d\d-\d\dT.*$/.exec(name)?.[1];
      if (scenario === undefined || without.includes(scenario)) continue;
      checks.set(scenario, JSON.parse(await Deno.readTextFile(`${directory}/${name}/checks.json`)));
    }
  }
  return checks;
}

function hasPassed(checks: readonly Check[] = []): boolean {
  return checks.some(({ status }) => status === "SUCCESS") &&
    checks.every(({ status }) => status !== "FAILURE" && status !== "WARNING");
}

/** How many scenarios of each version are tried, so that none gets lost in silence. */
const VERSIONS = [["2025-11-25", 18 - LOGINS_OF_BOTH.length, LOGINS_OF_BOTH], ["2026-07-28", 32, []]] as const;

for (const [version, required, proved] of VERSIONS) {
  Deno.test(`O2 O3 O4 the conformance suite's client scenarios of ${version} pass`, async () => {
    using bench = new Workbench();
    const checks = await runSuite(bench, { words: ["--requirements", version], without: [...EXTENSIONS, ...proved] });
    const scenarios = [...checks.keys()].sort();
    const failed = scenarios.filter((scenario) => !hasPassed(checks.get(scenario)));
    const why = failed.map((scenario) => {
      return [scenario, checks.get(scenario)?.filter(({ status }) => status !== "SUCCESS" && status !== "INFO")];
    });
    assert.deepStrictEqual(failed, [], JSON.stringify(why, null, 1));
    assert.deepStrictEqual(scenarios.length, required, scenarios.join(" "));
  });
}

/** Neither version above requires them. */
const OF_2025_03_26 = [["oauth-metadata-backcompat", true], ["oauth-endpoint-fallback", false]] as const;

Deno.test("O3 logins of 2025-03-26 pass where metadata is found, and are refused without, because it must name PKCE", async () => {
  using bench = new Workbench();
  for (const [name, passes] of OF_2025_03_26) {
    const scenario = `2025-03-26-${name}`;
    const checks = await runSuite(bench, { words: ["--spec-version", "2025-03-26", "--scenario", `auth/${scenario}`] });
    const found = [...checks.values()].map(hasPassed);
    assert.deepStrictEqual([scenario, found], [scenario, [passes]], JSON.stringify([...checks]));
  }
});

for (const [name, check] of [["basic", "basic-auth"], ["jwt", "jwt-verified"]]) {
  Deno.test(`O8 the suite's scenario client-credentials-${name} of a client that logs in by itself passes`, async () => {
    using bench = new Workbench();
    const checks = await runSuite(bench, { words: ["--scenario", `auth/client-credentials-${name}`] });
    const all = [...checks.values()].flat();
    assert.deepStrictEqual([...checks.values()].map(hasPassed), [true], JSON.stringify(all, null, 1));
    assert.ok(all.some(({ id, status }) => id === `client-credentials-${check}` && status === "SUCCESS"));
  });
}
