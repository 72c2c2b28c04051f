/**
 * The official conformance suite's client scenarios (O2-O5): the real program with the suite's servers in `--mcp-config`,
 * and with `auth login` and `list-tools --http`; for logins alone what `auth login` does, in this process.
 */
import assert from "node:assert/strict";
import { logInToAll, makeCalls } from "./conformance/front_client.ts";
import { actInPlace } from "./conformance/scenarios.ts";
import { ROOT } from "./_support/repository.ts";
import { Workbench } from "./_support/workbench.ts";

/** The runtime runs it: its engines ask for a newer Node than many have. */
const SUITE = ["run", "--allow-all", "--no-config", "--quiet", "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12"];

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Further flows without a person and schemas of a later date, which no version requires. */
const EXTENSIONS = ["enterprise-managed-authorization", "dpop", "dpop-nonce", "wif-jwt-bearer"]
  .concat("json-schema-2020-12-preservation");

/** Clients that log in by themselves, which no version requires either: tried with 2026-07-28. Each has a check of its own. */
const BY_ITSELF = [["client-credentials-basic", "basic-auth"], ["client-credentials-jwt", "jwt-verified"]] as const;

/** Logins of both versions: they come before any version is spoken, so that 2026-07-28 proves them for both. */
const LOGINS_OF_BOTH = ["metadata-default", "metadata-var1", "metadata-var2", "metadata-var3"].concat(
  ["scope-from-www-authenticate", "scope-from-scopes-supported", "scope-omitted-when-undefined"],
  ["token-endpoint-auth-basic", "token-endpoint-auth-post", "token-endpoint-auth-none"],
);

/** What is not tried with 2025-11-25 therefore. */
const IN_LATER = [...LOGINS_OF_BOTH, "scope-retry-limit", "basic-cimd", "pre-registration"];

/** Scenarios that want a login and no more. */
const LOGINS = {
  "2025-11-25": [],
  "2026-07-28": LOGINS_OF_BOTH.concat(
    ["resource-mismatch", "offline-access-scope", "offline-access-not-supported", "metadata-issuer-mismatch"],
    ["iss-supported", "iss-not-advertised", "iss-supported-missing", "iss-wrong-issuer", "iss-unexpected"],
    ["iss-normalized"],
  ),
} as const;

/** Scenarios of each version in which the official client calls through one program that has the servers of all. */
const FRONT = {
  "2025-11-25": ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry", "scope-step-up"],
  "2026-07-28": ["tools_call", "request-metadata", "sep-2322-client-request-state", "http-custom-headers"].concat(
    ["http-invalid-tool-headers", "http-standard-headers", "json-schema-ref-no-deref", "scope-step-up"],
    BY_ITSELF.map(([scenario]) => scenario),
  ),
} as const;

/** The checks of each scenario of a version, by its name; those `without` are not tried. */
async function runSuite(
  bench: Workbench,
  version: keyof typeof FRONT,
  without: readonly string[],
): Promise<ReadonlyMap<string, readonly Check[]>> {
  const output = `${bench.elsewhere}/${version}`;
  const command = new URL("tests/conformance/client_command.sh", ROOT).pathname;
  const suite = new Deno.Command(Deno.execPath(), {
    args: [...SUITE, "client", "--command", command, "--requirements", version, "--timeout", "300000", "-o", output],
    env: {
      CONFORMANCE_PROGRAM: new URL("dist/ahma_mcp", ROOT).pathname,
      AHMA_DENO: Deno.execPath(),
      LANES: bench.elsewhere,
      LEFT_OUT: ` ${without.join(" ")} `,
      FRONT: ` ${[...FRONT[version], ...LOGINS[version]].join(" ")} `,
    },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    await Promise.all([
      actInPlace(bench.elsewhere, FRONT[version], (all) => makeCalls(all, version)),
      actInPlace(bench.elsewhere, LOGINS[version], logInToAll),
    ]);
  } finally {
    await suite.status;
  }
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

/** What has failed, by the names of scenarios, and why: for the message of an assertion. */
function failuresIn(checks: ReadonlyMap<string, readonly Check[]>): readonly [names: readonly string[], why: string] {
  const failed = [...checks.keys()].sort().filter((scenario) => !hasPassed(checks.get(scenario)));
  const why = failed.map((scenario) => {
    return [scenario, checks.get(scenario)?.filter(({ status }) => status !== "SUCCESS" && status !== "INFO")];
  });
  return [failed, JSON.stringify(why, null, 1)];
}

/** How many scenarios of each version are tried, so that none gets lost in silence. */
const REQUIRED = { "2025-11-25": 18 - IN_LATER.length, "2026-07-28": 32 } as const;

Deno.test("O2 O3 O4 the conformance suite's client scenarios of 2025-11-25 pass", async () => {
  using bench = new Workbench();
  const without = [...EXTENSIONS, ...IN_LATER, ...BY_ITSELF.map(([scenario]) => scenario)];
  const checks = await runSuite(bench, "2025-11-25", without);
  const [failed, why] = failuresIn(checks);
  assert.deepStrictEqual(failed, [], why);
  assert.strictEqual(checks.size, REQUIRED["2025-11-25"], [...checks.keys()].join(" "));
});

Deno.test("O2 O3 O4 O8 the conformance suite's client scenarios of 2026-07-28 pass, and those of a client that logs in by itself", async () => {
  using bench = new Workbench();
  const checks = await runSuite(bench, "2026-07-28", EXTENSIONS);
  const [failed, why] = failuresIn(checks);
  assert.deepStrictEqual(failed, [], why);
  assert.strictEqual(checks.size, REQUIRED["2026-07-28"] + BY_ITSELF.length, [...checks.keys()].join(" "));
  const proved = BY_ITSELF.map(([scenario, check]) =>
    checks.get(scenario)?.some(({ id, status }) => id === `client-credentials-${check}` && status === "SUCCESS")
  );
  assert.deepStrictEqual(proved, [true, true], JSON.stringify(BY_ITSELF.map(([scenario]) => checks.get(scenario))));
});
