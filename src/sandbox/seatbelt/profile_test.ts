import assert from "node:assert/strict";
import fc from "fast-check";
import { OPTION_SETS, ORDINARY } from "./_support/option_sets.ts";
import { type SandboxRequest, SeatbeltEvaluator } from "./_support/sbpl_evaluator.ts";
import { bothSpellings, type SeatbeltPolicy, type SeatbeltProfile, seatbeltProfile } from "./profile.ts";
import { normalize } from "node:path/posix";
import { allows } from "../denials/policy_query.ts";
import {
  landlockPolicy,
  POLICY_TABLE,
  seatbeltPolicy,
  SESSION,
  type Session,
  type Use,
} from "./_support/policy_table.ts";

const ORDINARY_PROFILE = new URL("../../../tests/fixtures/seatbelt/ordinary.sb", import.meta.url);
const PROJECT = "/Users/ann/project";

function made(policy: SeatbeltPolicy): SeatbeltProfile {
  const outcome = seatbeltProfile(policy);
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.value;
}

function evaluator(change: Partial<SeatbeltPolicy> = {}): SeatbeltEvaluator {
  const { profile, parameters } = made({ ...ORDINARY, ...change });
  return new SeatbeltEvaluator(profile, parameters);
}

/** What of `requests` is allowed, each told by its first two fields. */
function allowed(sandbox: SeatbeltEvaluator, requests: readonly SandboxRequest[]): readonly string[] {
  return requests.filter((one) => sandbox.allows(one)).map((one) => Object.values(one).slice(0, 2).join(" "));
}

Deno.test("S11 seatbeltProfile() gives the whole profile of an ordinary session as tests/fixtures/seatbelt has it", async () => {
  const { profile, parameters } = made(ORDINARY);
  const values = Object.entries(parameters).map(([key, value]) => `; -D ${key}=${value}\n`);
  assert.deepStrictEqual(profile + values.join(""), await Deno.readTextFile(ORDINARY_PROFILE));
});

Deno.test("S11 seatbeltProfile() is one known statement a line with a value for every parameter, whatever the options", () => {
  for (const [name, policy] of Object.entries(OPTION_SETS)) {
    const { profile, parameters } = made(policy);
    assert.ok(new SeatbeltEvaluator(profile, parameters).allows({ operation: "process-fork" }), name);
    assert.deepStrictEqual(profile.split("\n").filter((line) => line.includes("require-not")), [], name);
  }
});

Deno.test("S11 seatbeltProfile() refuses paths that no rule could carry or the kernel would never match", () => {
  for (const path of ["a", "", "/a\0b", "/a\nb", "/a\rb", "/a/../b", "/a/./b", "/a//b", "/a/", "/\ud800"]) {
    for (const field of ["writable", "sensitive", "protected", "protectedFiles"]) {
      const outcome = seatbeltProfile({ ...ORDINARY, [field]: [path] });
      assert.ok(!outcome.ok && outcome.problem.includes(JSON.stringify(path)), `${field} ${JSON.stringify(path)}`);
    }
  }
  assert.ok(seatbeltProfile({ ...ORDINARY, writable: ["/"] }).ok);
});

Deno.test("S7 seatbeltProfile() hides sensitive paths and nothing else", () => {
  const read = (path: string) => ({ operation: "file-read-data", path });
  const look = (path: string) => ({ operation: "file-read-metadata", path });
  const paths = [
    "/etc/hosts",
    "/Users/ann",
    "/Users/ann/.sshx",
    "/Users/ann/.ssh",
    "/Users/ann/.ssh/id",
    "/Users/ann/.aws/config",
  ];
  const requests = [...paths.map(read), ...paths.map(look)];
  const open = ["file-read-data /etc/hosts", "file-read-data /Users/ann", "file-read-data /Users/ann/.sshx"];
  const seen = ["/etc/hosts", "/Users/ann", "/Users/ann/.sshx", "/Users/ann/.ssh"].map((path) =>
    `file-read-metadata ${path}`
  );
  assert.deepStrictEqual(allowed(evaluator(), requests), [...open, ...seen]);
});

Deno.test("S7 seatbeltProfile() keeps sensitive paths from being changed or moved where home is writable", () => {
  const sandbox = evaluator({ writable: ["/Users/ann"], sensitive: ["/Users/ann/.config/gh"] });
  assert.deepStrictEqual(
    allowed(sandbox, [
      { operation: "file-write-data", path: "/Users/ann/notes" },
      { operation: "file-write-unlink", path: "/Users/ann/notes" },
      { operation: "file-write-data", path: "/Users/ann/.config/gh/hosts.yml" },
      { operation: "file-write-unlink", path: "/Users/ann/.config/gh" },
      { operation: "file-write-unlink", path: "/Users/ann/.config" },
      { operation: "file-write-unlink", path: "/Users/ann" },
    ]),
    ["file-write-data /Users/ann/notes", "file-write-unlink /Users/ann/notes"],
  );
});

Deno.test("S11 seatbeltProfile() keeps protected paths from being written, moved away or replaced by a link", () => {
  const asked: readonly SandboxRequest[] = [
    { operation: "file-write-create", path: `${PROJECT}/.git/index` },
    { operation: "file-write-create", path: `${PROJECT}/.git`, vnode: "DIRECTORY" },
    { operation: "file-write-create", path: `${PROJECT}/.git`, vnode: "SYMLINK" },
    { operation: "file-write-create", path: `${PROJECT}/.git`, vnode: "REGULAR-FILE" },
    { operation: "file-write-create", path: `${PROJECT}/.git/hooks`, vnode: "DIRECTORY" },
    { operation: "file-write-data", path: `${PROJECT}/.git/hooks/pre-commit` },
    { operation: "file-write-unlink", path: `${PROJECT}/.git/hooks` },
    { operation: "file-write-unlink", path: `${PROJECT}/.git` },
    { operation: "file-write-unlink", path: PROJECT },
    { operation: "file-link", path: `${PROJECT}/other` },
    { operation: "file-write-setugid", path: `${PROJECT}/other` },
    { operation: "file-write-unlink", path: `${PROJECT}/.gitx` },
  ];
  assert.deepStrictEqual(allowed(evaluator(), asked), [
    `file-write-create ${PROJECT}/.git/index`,
    `file-write-create ${PROJECT}/.git`,
    `file-write-unlink ${PROJECT}/.gitx`,
  ]);
  assert.ok(
    evaluator({ protected: [], protectedFiles: [] }).allows({
      operation: "file-write-unlink",
      path: `${PROJECT}/.git`,
    }),
  );
});

Deno.test("S11 seatbeltProfile() protects names in other letter case too: volumes of macOS do not tell them apart", () => {
  const sandbox = evaluator();
  const write = (path: string) => sandbox.allows({ operation: "file-write-create", path: `${PROJECT}/${path}` });
  const outcomes = [
    ".MCP.json",
    ".Git/HOOKS/pre-push",
    "sub/.GIT/hooks",
    "sub/.git/hooks/x",
    ".mcp.json5",
    "x.mcp.json",
  ];
  assert.deepStrictEqual(outcomes.filter(write), ["sub/.git/hooks/x", ".mcp.json5", "x.mcp.json"]);
});

Deno.test("S11 seatbeltProfile() denies by both names of /private directories", () => {
  assert.deepStrictEqual(bothSpellings(["/tmp/a", "/private/var/b", "/etc", "/tmpx", "/private/x", "/Users/a"]), [
    ...[
      "/tmp/a",
      "/private/tmp/a",
      "/private/var/b",
      "/var/b",
      "/etc",
      "/private/etc",
      "/tmpx",
      "/private/x",
      "/Users/a",
    ],
  ]);
  const sandbox = evaluator({ sensitive: ["/tmp/secret"] });
  const paths = ["/tmp/secret", "/private/tmp/secret/x", "/private/tmp/other"];
  assert.deepStrictEqual(paths.map((path) => sandbox.allows({ operation: "file-read-data", path })), [
    false,
    false,
    true,
  ]);
});

Deno.test("S6 seatbeltProfile() opens the network as far as it is asked to, and Unix sockets only in writable trees", () => {
  const asked: readonly SandboxRequest[] = [
    { operation: "network-outbound", address: "203.0.113.1:443" },
    { operation: "network-outbound", address: "localhost:80" },
    { operation: "network-bind", address: "localhost:80" },
    { operation: "network-inbound", address: "0.0.0.0:80" },
    { operation: "network-outbound", socket: "/var/run/docker.sock" },
    { operation: "network-outbound", socket: "/private/var/run/mDNSResponder" },
    { operation: "network-outbound", socket: `${PROJECT}/s` },
    { operation: "network-bind", socket: `${PROJECT}/s` },
    { operation: "mach-lookup", name: "com.apple.trustd.agent" },
  ];
  const own = [`network-outbound ${PROJECT}/s`, `network-bind ${PROJECT}/s`];
  const ip = asked.slice(0, 4).map((one) => `${one.operation} ${one.address}`);
  const resolver = "network-outbound /private/var/run/mDNSResponder";
  const trust = "mach-lookup com.apple.trustd.agent";
  assert.deepStrictEqual(allowed(evaluator(), asked), [...ip, resolver, ...own, trust]);
  assert.deepStrictEqual(allowed(evaluator({ network: "localhost" }), asked), [ip[1], ip[2], ...own]);
  assert.deepStrictEqual(allowed(evaluator({ network: "none" }), asked), own);
  const docker = "network-outbound /var/run/docker.sock";
  assert.deepStrictEqual(allowed(evaluator({ network: "none", unixSockets: "allow" }), asked), [
    docker,
    resolver,
    ...own,
  ]);
});

Deno.test("S11 seatbeltProfile() reaches no process, service or device outside", () => {
  const asked: readonly SandboxRequest[] = [
    { operation: "signal", sameSandbox: true },
    { operation: "signal" },
    { operation: "mach-lookup", name: "com.apple.system.opendirectoryd.libinfo" },
    { operation: "mach-lookup", name: "com.apple.coreservices.launchservicesd" },
    { operation: "mach-lookup", name: "com.apple.coreservices.appleevents" },
    { operation: "mach-lookup", name: "com.apple.SecurityServer" },
    { operation: "mach-lookup", name: "com.apple.securityd.xpc" },
    { operation: "sysctl-read", name: "hw.ncpu" },
    { operation: "sysctl-read", name: "kern.procargs2.1" },
    { operation: "file-write-data", path: "/dev/null", vnode: "CHARACTER-DEVICE" },
    { operation: "file-write-data", path: "/dev/disk0", vnode: "CHARACTER-DEVICE" },
    { operation: "file-write-data", path: "/dev/ttys003", vnode: "CHARACTER-DEVICE", pty: true },
    { operation: "file-write-data", path: "/dev/ttys004", vnode: "CHARACTER-DEVICE" },
  ];
  assert.deepStrictEqual(asked.map((one) => evaluator().allows(one)), [
    ...[true, false, true, false, false, false, false, true, false, true, false, true, false],
  ]);
});

/** What would end a string, a list or a line, in a name that a directory can have. */
const NAME = fc.string({
  unit: fc.constantFrom(
    '"',
    ")",
    "(",
    "\\",
    "#",
    ";",
    "'",
    " ",
    "|",
    "%",
    "$",
    "*",
    "[",
    "a",
    ".",
    "é",
    "日",
    "🙂",
    "\t",
    "\x7f",
  ),
  minLength: 1,
  maxLength: 12,
}).filter((name) => name !== "." && name !== "..");

Deno.test("S11 seatbeltProfile() writes the same text whatever a directory is called", () => {
  fc.assert(fc.property(NAME, NAME, NAME, (scope, secret, kept) => {
    const policy = (first: string, second: string, third: string): SeatbeltPolicy => ({
      ...ORDINARY,
      writable: [`/w/${first}`],
      sensitive: [`/s/${second}`],
      protected: [`/w/${first}/_${third}_é`], // é: no plain name, so that nothing but parameters carries it
    });
    const odd = made(policy(scope, secret, kept));
    const plain = made(policy("w", "s", "p"));
    assert.strictEqual(odd.profile, plain.profile);
    assert.deepStrictEqual(Object.keys(odd.parameters), Object.keys(plain.parameters));
    const sandbox = new SeatbeltEvaluator(odd.profile, odd.parameters);
    const answers = [
      sandbox.allows({ operation: "file-write-data", path: `/w/${scope}/x` }),
      sandbox.allows({ operation: "file-write-data", path: `/w/${scope}x` }),
      sandbox.allows({ operation: "file-read-data", path: `/s/${secret}/x` }),
      sandbox.allows({ operation: "file-write-data", path: `/w/${scope}/_${kept}_é` }),
    ];
    assert.deepStrictEqual(answers, [true, false, false, false]);
  }));
  const quoted = made({ ...ORDINARY, writable: ['/w/"))(allow default)'] });
  assert.ok(!quoted.profile.includes("allow default"));
});

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
const PATH_NAME = fc.oneof(
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
const PATH = fc.tuple(START, fc.array(PATH_NAME, { maxLength: 6 })).map(([start, names]) => {
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
  const name = PATH_NAME.filter((one) => one !== "." && one !== "..");
  fc.assert(fc.property(name, name, (scope, inside) => {
    const { landlock, seatbelt } = backEnds({ ...SESSION, scopes: [`/w/${scope}`] });
    const paths = [`/w/${scope}/${inside}`, `/w/${scope}x/${inside}`, `/w/${inside}x`, `/v/${scope}`];
    const expected = [true, false, scope === `${inside}x`, false];
    assert.deepStrictEqual(paths.map((path) => landlock(path, "write")), expected);
    assert.deepStrictEqual(paths.map((path) => seatbelt(path, "write")), expected);
  }));
});
