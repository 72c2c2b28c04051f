import assert from "node:assert/strict";
import { askingRefused, heldBy, heldFlags, summaryOfPolicy } from "./held.ts";
import { FORBIDDABLE, parsePolicy, type Policy } from "./policy.ts";
import { encodeText } from "../../base/text.ts";
import { type FlagName, flagNamed, SERVER_FLAGS } from "../flags/flags.ts";

async function parse(policy: unknown): Promise<Policy> {
  const parsed = await parsePolicy("/p", encodeText(JSON.stringify(policy)), 7);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.value;
}

async function mistakes(text: string): Promise<readonly string[]> {
  const parsed = await parsePolicy("/p", encodeText(text), 7);
  return parsed.ok ? [] : parsed.problem;
}

/** What becomes of a flag with these values, undefined for a switch that is off. */
function holds(policy: Policy, name: FlagName, values: readonly string[] | undefined): unknown {
  const held = heldBy(policy, name, { source: "s", values });
  return held.ok ? held.value.values : held.problem;
}

Deno.test("S37 parsePolicy() reads flags in each spelling, settings, profiles and the user's number", async () => {
  const policy = await parse({
    $schema: "x",
    forbid: ["--write", "no_pool", "ask"],
    force: { network: ["packages"], audit_log: "/log/{uid}/{uid}", protect: ["docs"], strict: true },
    profiles: { ci: { timeout: 5 }, "a.b-c_1": {} },
    support: " Ask us. ",
  });
  assert.deepStrictEqual([...policy.forbidden], [
    "write",
    "no-pool",
    "ask",
    "no-sandbox",
    "no-sandbox-server",
    "allow-protected",
  ]);
  assert.deepStrictEqual([...policy.forced], [
    ["network", ["packages"]],
    ["audit-log", ["/log/7/7"]],
    ["protect", ["docs"]],
    ["strict", []],
  ]);
  assert.deepStrictEqual([...policy.profiles.keys()], ["ci", "a.b-c_1"]);
  assert.equal(policy.support, "Ask us.");
  assert.match(policy.fingerprint, /^[0-9a-f]{64}$/);
  assert.deepStrictEqual([...(await parse({})).forbidden], []);
});

Deno.test("S37 a policy may name every flag of a server, so that a new one is among them", async () => {
  const flags = SERVER_FLAGS.filter((name) => name !== "help" && name !== "version");
  const policy = await parse({ forbid: FORBIDDABLE });
  for (const name of flags) {
    const { value, narrowsOnly } = flagNamed(name);
    const held = holds(policy, name, value === "none" ? [] : ["x"]);
    if (held === `policy "/p" forbids --${name}`) continue;
    // What remains can give commands less, and is forced.
    assert.ok(narrowsOnly !== undefined || ["protect", "strict", "require-layer", "require-abi"].includes(name), name);
    assert.match((await mistakes(`{"forbid": ["${name}"]}`)).join(), /cannot be forbidden: .* in "force"/);
  }
  assert.deepStrictEqual(holds(policy, "no-sandbox-server", []), 'policy "/p" forbids --no-sandbox-server');
});

Deno.test("S37 parsePolicy() names every mistake with its place", async () => {
  assert.deepStrictEqual(
    await mistakes('{"forbid": "env",\n"force": {"read": "x", "timeout": -1, "no_sandbox": true},\n"suport": ""}'),
    [
      '/p:3:1: "suport" is unknown; did you mean "support"?',
      '/p:2:35: Setting "timeout": "-1" is not a number from 0.001 to 2147483',
      '/p:2:19: "read" cannot be forced: "x" depends on the directory of each start; write an absolute path',
      '/p:2:53: "no_sandbox" cannot be forced: a policy that forces something forbids it',
      '/p:1:12: "forbid" is not a list of flags, as in ["no-sandbox"]',
    ],
  );
  assert.match(
    (await mistakes('{"profiles": {"a b": {}, "c": {"profile": "d"}, "e": 1}}')).join("\n"),
    /a b.*\n.*cannot choose a profile.*\n.*"profiles\.e" is not an object/,
  );
});

/** What is refused, by what is not understood. */
const MISTAKEN: Readonly<Record<string, RegExp>> = {
  "": /^\/p:1:1: The file is not valid JSON/,
  "{} // x": /The file is not valid JSON/,
  "[]": /^\/p:1:1: The file is not an object/,
  '{"forbid":["no-sandbox"],"\\u0066orbid":[]}': /"forbid" is given as/,
  '{"force":{"strict":true,"strict":true}}': /"strict" is given as/,
  '{"forbid":["no-sanbox"]}': /"no-sanbox" is not a flag of the server; did you mean "no-sandbox"\?/,
  '{"forbid":[1]}': /1 is not a flag/,
  '{"force":{"netwrk":"none"}}': /"netwrk" is unknown; did you mean "network"\?/,
  '{"force":{"network":"nowhere else"}}': /Setting "network": /,
  '{"force":{"strict":false}}': /"strict" cannot be forced: write "strict" in "forbid"/,
  '{"force":{"audit_log":"log"}}': /"audit_log" cannot be forced: "log" depends/,
  '{"support":"a\\nb"}': /"support" has more than one line/,
  '{"support":"a\\u202eb"}': /invisible character \(U\+202E\)/,
};

Deno.test("S37 parsePolicy() takes nothing that it does not understand", async () => {
  for (const [text, why] of Object.entries(MISTAKEN)) assert.match((await mistakes(text)).join("\n"), why, text);
});

Deno.test("S37 heldBy() lets lists of names be narrower than the forced one, and not wider", async () => {
  const most = "one.test:443,*.two.test:443";
  const policy = await parse({ force: { network: most } });
  for (const within of [most, "one.test:443", "a.two.test:443", "none"]) {
    assert.deepStrictEqual(holds(policy, "network", [within]), [within]);
  }
  for (
    const beyond of ["one.test,three.test", "one.test:22", "one.test:443/any", "two.test:443", "*.two.test", "full"]
  ) {
    const refused = `policy "/p" allows at most --network ${most}`;
    assert.deepStrictEqual(holds(policy, "network", [beyond]), refused, beyond);
  }
});

Deno.test("S37 heldBy() takes a forced value as the most, as a part, or as the only one", async () => {
  const policy = await parse({
    forbid: ["env"],
    force: {
      limit_memory: "4G",
      require_abi: 4,
      unix_sockets: "private",
      shell: "/bin/sh",
      read: "/a",
      env: "TERM",
      strict: true,
    },
  });
  const refused = (text: string) => `policy "/p" ${text}`;
  for (
    const [name, values, expected] of [
      ["limit-memory", ["1G"], ["1G"]],
      ["limit-memory", ["none"], refused("allows at most --limit-memory 4G")],
      ["limit-memory", undefined, ["4G"]],
      ["require-abi", ["5"], ["5"]],
      ["require-abi", ["3"], refused("allows at most --require-abi 4")],
      ["unix-sockets", ["deny"], ["deny"]],
      ["unix-sockets", ["allow"], refused("allows at most --unix-sockets private")],
      ["shell", ["/bin/sh"], ["/bin/sh"]],
      ["shell", ["/bin/bash"], refused("sets --shell /bin/sh")],
      ["read", ["/b"], ["/a", "/b"]],
      ["env", ["TERM"], ["TERM"]],
      ["env", ["TOKEN"], refused("forbids --env")],
      ["env", undefined, ["TERM"]],
      ["strict", [], []],
      ["strict", undefined, refused("sets --strict")],
      ["write", ["/b"], ["/b"]],
    ] as const
  ) assert.deepStrictEqual(holds(policy, name, values), expected, `${name} ${values}`);
  assert.deepStrictEqual(heldBy(policy, "strict", { source: "", values: undefined }), {
    ok: true,
    value: { source: 'policy "/p"', values: [] },
  });
});

Deno.test("S37 S42 what is forbidden by its flag is not asked for", async () => {
  const policy = await parse({ forbid: ["ssh-hosts"] });
  assert.match(askingRefused(policy, ["read", "ssh"]) ?? "", /^Cannot ask for ssh \(--ask\): .* forbids --ssh-hosts$/);
  assert.strictEqual(askingRefused(policy, ["read"]), undefined);
});

Deno.test("S37 heldFlags() leaves out what is refused, and says why", async () => {
  const policy = await parse({ forbid: ["write"], force: { network: ["a.test"] }, support: "Ask us." });
  assert.deepStrictEqual(heldFlags(policy, ["--read /x", "--write /y z"]), {
    flags: ["--read /x"],
    policy: 'policy "/p" forbids --write. Ask us.',
  });
  assert.deepStrictEqual(heldFlags(policy, ["--network ...,b.test"]).flags, []);
  assert.deepStrictEqual(heldFlags(policy, ["--network ...,a.test"]), { flags: ["--network ...,a.test"] });
  assert.deepStrictEqual(heldFlags(undefined, ["--write /y"]), { flags: ["--write /y"] });
  assert.match(
    summaryOfPolicy(policy),
    /^"\/p" forbids --write --no-sandbox .*, forces --network a\.test \(SHA-256 [0-9a-f]{16}\)$/,
  );
});
