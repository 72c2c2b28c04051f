import assert from "node:assert/strict";
import { encodeText } from "../base/text.ts";
import { parsePolicy, type Policy } from "./policy/policy.ts";
import { readSettingsFiles, type SettingsPlaces, userSettingsPath } from "./settings_files.ts";

interface Answer {
  readonly files?: readonly Record<string, unknown>[];
  readonly warnings?: readonly string[];
  readonly problem?: string;
}

/** What is read where the project and the user have these files; the directory is written `.` and `~`. */
async function read(
  project: string | undefined,
  user?: string,
  held: Pick<SettingsPlaces, "policy" | "profile"> = {},
): Promise<Answer> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    const [directory, home] = [`${base}/project`, `${base}/home`];
    await Deno.mkdir(`${directory}/.ahma`, { recursive: true });
    await Deno.mkdir(`${home}/.config/ahma`, { recursive: true });
    if (project !== undefined) await Deno.writeTextFile(`${directory}/.ahma/settings.json`, project);
    if (user !== undefined) await Deno.writeTextFile(`${home}/.config/ahma/settings.json`, user);
    const outcome = await readSettingsFiles({ environment: { HOME: home }, directory, ...held });
    const short = (text: string) => text.replaceAll(directory, ".").replaceAll(home, "~");
    if (!outcome.ok) return { problem: short(outcome.problem) };
    const { files, warnings } = outcome.value;
    return {
      files: files.map((values) =>
        Object.fromEntries([...values].map(([name, given]) => [name, given.values?.map(short)]))
      ),
      warnings: warnings.map(short),
    };
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

Deno.test("L7 readSettingsFiles() finds nothing where there is nothing", async () => {
  assert.deepStrictEqual(await read(undefined), { files: [], warnings: [] });
});

Deno.test("L7 readSettingsFiles() reads every kind of value, the project's file first", async () => {
  const project =
    '{"$schema": "x", "timeout": 1.5, "max_concurrency": 3, "sync": true, "no_pool": false, "bundles": "git"}';
  const user = '\uFEFF{"read": ["/a", "/b"], "env": "TERM", "sandbox_scope": "/s", "no_sandbox": true}';
  assert.deepStrictEqual(await read(project, user), {
    files: [
      { "timeout": ["1.5"], "max-concurrency": ["3"], "sync": [], "no-pool": undefined, "bundles": ["git"] },
      { "read": ["/a", "/b"], "env": ["TERM"], "sandbox-scope": ["/s"], "no-sandbox": [] },
    ],
    warnings: [],
  });
});

Deno.test("L7 readSettingsFiles() takes nothing from a project that loosens the sandbox or hides the log", async () => {
  const refused = {
    no_sandbox: true,
    sandbox_scope: "/",
    allow_broad_scope: true,
    read: "/etc",
    write: ["/"],
    env: "TOKEN",
    shell: "./sh",
    log_to_stderr: true,
    mode: "stdio",
  };
  const { files, warnings } = await read(JSON.stringify(refused));
  assert.deepStrictEqual(files, []);
  assert.deepStrictEqual(
    warnings,
    Object.keys(refused).map((key) => {
      const flag = key.replaceAll("_", "-");
      return `setting "${key}" of "./.ahma/settings.json" is ignored: a project may not set "${flag}", because commands ` +
        `can write its files. Use the flag "--${flag}", or the settings file of the user`;
    }),
  );
});

Deno.test("L7 readSettingsFiles() holds a project to bounds that its user may pass", async () => {
  const most = {
    timeout: 21600,
    max_concurrency: 64,
    inline_wait: 60000,
    max_inline_output: 262144,
    keep_results: 10000,
  };
  const more = Object.fromEntries(Object.entries(most).map(([key, value]) => [key, value + 1]));
  const flag = (key: string) => key.replaceAll("_", "-");
  const given = (values: Record<string, number>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [flag(key), [String(value)]]));
  assert.deepStrictEqual(await read(JSON.stringify(most)), { files: [given(most)], warnings: [] });
  assert.deepStrictEqual(await read(JSON.stringify(more), JSON.stringify(more)), {
    files: [given(more)],
    warnings: Object.entries(most).map(([key, value]) =>
      `setting "${key}" of "./.ahma/settings.json" is ignored: a project may set it to at most ${value}. ` +
      `Use the flag "--${flag(key)}"`
    ),
  });
});

Deno.test("L7 S8 readSettingsFiles() lets a project protect more and ask for more, in addition to what the user does", async () => {
  const project = '{"protect": ["docs", "a/./b"], "strict": true, "require_layer": "seccomp"}';
  const user = '{"protect": "/x", "require_layer": ["namespaces"], "strict": false}';
  assert.deepStrictEqual(await read(project, user), {
    files: [
      { "protect": ["docs", "a/./b", "/x"], "strict": [], "require-layer": ["seccomp", "namespaces"] },
      { "protect": ["/x"], "require-layer": ["namespaces"], "strict": undefined },
    ],
    warnings: [],
  });
  const refused = (key: string, why: string) => `setting "${key}" of "./.ahma/settings.json" is ignored: ${why}`;
  for (const path of ["/etc", ".", "a/../b"]) {
    const { files, warnings } = await read(JSON.stringify({ protect: ["ok", path] }));
    const why = `"${path}" does not name a place in the project, as in "docs/api.md"`;
    assert.deepStrictEqual([files, warnings], [[], [refused("protect", why)]]);
  }
  const many = await read(JSON.stringify({ protect: Array.from({ length: 65 }, (_, i) => `p${i}`) }));
  assert.deepStrictEqual(many, { files: [], warnings: [refused("protect", "a project may name at most 64 places")] });
  assert.deepStrictEqual(await read('{"strict": false}', '{"strict": true}'), {
    files: [{ strict: [] }],
    warnings: [refused("strict", "the user's own file says true")],
  });
});

Deno.test("L7 readSettingsFiles() lets a project name tools inside it, and raise what is asked of the kernel", async () => {
  assert.deepStrictEqual(await read('{"tools_dir": "mine/tools", "require_abi": 4}', '{"require_abi": 3}'), {
    files: [{ "tools-dir": ["./mine/tools"], "require-abi": ["4"] }, { "require-abi": ["3"] }],
    warnings: [],
  });
  const { files, warnings } = await read('{"tools_dir": "../other", "require_abi": 1}', '{"require_abi": 3}');
  assert.deepStrictEqual(files, [{ "require-abi": ["3"] }]);
  assert.deepStrictEqual(warnings, [
    'setting "tools_dir" of "./.ahma/settings.json" is ignored: it lies outside the project. Use the flag "--tools-dir"',
    'setting "require_abi" of "./.ahma/settings.json" is ignored: the user\'s own file asks for 3',
  ]);
});

Deno.test("L7 readSettingsFiles() does not let a project stop the server by a bundle that does not exist", async () => {
  assert.deepStrictEqual(await read('{"bundles": "git, npn"}'), {
    files: [],
    warnings: [
      'setting "bundles" of "./.ahma/settings.json" is ignored: "npn" is not shipped; did you mean "npm"?',
    ],
  });
  assert.deepStrictEqual((await read('{"bundles": "all"}')).files, [{ bundles: ["all"] }]);
});

Deno.test("L7 readSettingsFiles() leaves a project's mistakes out, with their places", async () => {
  assert.deepStrictEqual(await read('{\n  "timeout": "soon",\n  "tmeout": 3,\n  "sync": true\n}'), {
    files: [{ sync: [] }],
    warnings: [
      'Settings file ./.ahma/settings.json:2:14: Setting "timeout": "soon" is not a number; this is ignored',
      './.ahma/settings.json:3:3: Setting "tmeout" is unknown and ignored; did you mean "timeout"?',
    ],
  });
  assert.deepStrictEqual((await read('{"sync": true,}')).warnings, [
    "Settings file ./.ahma/settings.json:1:15: The file is not valid JSON: property name expected; this is ignored",
  ]);
  assert.deepStrictEqual((await read("[]")).warnings, [
    "Settings file ./.ahma/settings.json:1:1: The file is not an object: write { ... }; this is ignored",
  ]);
});

Deno.test("L7 S30 readSettingsFiles() opens no network where a project's cannot be read", async () => {
  const closed = 'Commands have no network until this is corrected: setting "network" of "./.ahma/settings.json"';
  for (const value of ['""', "[]", "null", "{}", '["packages",""]', '"pakages"', '"none", "network": "full"']) {
    const { files, warnings } = await read(`{"network": ${value}}`);
    assert.deepStrictEqual([files, warnings?.at(-1)], [[{ network: ["none"] }], closed], value);
  }
  const broken = await read('{"network": ["packages"],}');
  assert.deepStrictEqual([broken.files, broken.warnings?.at(-1)], [[{ network: ["none"] }], closed]);
  assert.deepStrictEqual((await read('{"network": ["packages"]}')).files, [{ network: ["packages"] }]);
});

Deno.test("L7 readSettingsFiles() refuses a mistake of the user, with its place", async () => {
  assert.deepStrictEqual(await read(undefined, '{\n  "sandbox_scope": [1]\n}'), {
    problem: 'Cannot use settings file ~/.config/ahma/settings.json:2:20: Setting "sandbox_scope": [1] is neither a ' +
      "text nor a list of texts",
  });
  assert.deepStrictEqual(await read(undefined, '{"max_concurrency": 0}'), {
    problem: 'Cannot use settings file ~/.config/ahma/settings.json:1:21: Setting "max_concurrency": "0" is not a ' +
      "whole number from 1 to 10000",
  });
});

Deno.test("L7 readSettingsFiles() does not read what is not an ordinary small file", async () => {
  const { warnings } = await read(" ".repeat(70_000));
  assert.deepStrictEqual(warnings, [
    'Settings file "./.ahma/settings.json": it has 70000 bytes, at most 65536 are read; this is ignored',
  ]);
});

Deno.test("userSettingsPath() follows XDG_CONFIG_HOME unless it is relative", () => {
  assert.strictEqual(userSettingsPath({ XDG_CONFIG_HOME: "/c", HOME: "/h" }), "/c/ahma/settings.json");
  assert.strictEqual(userSettingsPath({ XDG_CONFIG_HOME: "c", HOME: "/h" }), "/h/.config/ahma/settings.json");
  assert.strictEqual(userSettingsPath({}), undefined);
});

Deno.test("S30 L7 readSettingsFiles() takes a list of hosts as a text or a list, and a project's only where it narrows", async () => {
  const user = '{"network": ["packages", "*.example.org:443"]}';
  const whole = { "network": ["packages,*.example.org:443"] };
  assert.deepStrictEqual(await read(undefined, user), { files: [whole], warnings: [] });
  for (const narrow of ['"a.example.org:443"', '["pypi.org", "a.example.org:443"]', '"none"']) {
    const { files, warnings } = await read(`{"network": ${narrow}}`, user);
    assert.deepStrictEqual([files?.length, warnings], [2, []], narrow);
  }
  for (const wide of ['"full"', '"github.com"', '["packages", "example.org"]']) {
    const { files, warnings } = await read(`{"network": ${wide}}`, user);
    assert.deepStrictEqual([files, warnings?.length], [[whole], 1], wide);
    assert.match(warnings?.[0] ?? "", /a project may not widen the rights of commands/);
  }
  // What says nothing is a mistake, and never the whole network.
  for (const wrong of ["[]", '""', '["a.example", 7]', '["a.example", ""]', '["full", "a.example"]']) {
    assert.match((await read(undefined, `{"network": ${wrong}}`)).problem ?? "", /Setting "network": /, wrong);
    assert.deepStrictEqual((await read(`{"network": ${wrong}}`, user)).files, [{ network: ["none"] }, whole], wrong);
  }
});

Deno.test("L7 S6 S10 readSettingsFiles() lets a project narrow network, sockets and limits, and never widen them", async () => {
  const narrow = '{"network": "none", "unix_sockets": "deny", "limit_memory": "1G", "limit_processes": 100}';
  assert.deepStrictEqual(await read(narrow, '{"network": "localhost", "limit_processes": 200}'), {
    files: [
      { "network": ["none"], "unix-sockets": ["deny"], "limit-memory": ["1G"], "limit-processes": ["100"] },
      { "network": ["localhost"], "limit-processes": ["200"] },
    ],
    warnings: [],
  });
  const wide = '{"network": "full", "unix_sockets": "allow", "limit_file_size": "none", "limit_processes": 300}';
  const ignored = (key: string, source: string, bound: string) =>
    `setting "${key}" of "./.ahma/settings.json" is ignored: a project may not widen the rights of commands, and ${source} ` +
    `says "${bound}". Use the flag "--${key.replaceAll("_", "-")}"`;
  assert.deepStrictEqual(await read(wide, '{"network": "localhost", "limit_processes": 200}'), {
    files: [{ "network": ["localhost"], "limit-processes": ["200"] }],
    warnings: [
      ignored("network", "the user's own file", "localhost"),
      ignored("unix_sockets", "the default", "private"),
      ignored("limit_file_size", "the default", "16G"),
      ignored("limit_processes", "the user's own file", "200"),
    ],
  });
});

Deno.test("L7 S4 readSettingsFiles() reads nothing along a link out of the project", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    const directory = `${base}/project`;
    await Deno.mkdir(`${directory}/.ahma`, { recursive: true });
    await Deno.writeTextFile(`${base}/credentials.json`, '{"a-secret-name": "a secret"}');
    await Deno.symlink(`${base}/credentials.json`, `${directory}/.ahma/settings.json`);
    const outcome = await readSettingsFiles({ environment: {}, directory });
    const path = `${directory}/.ahma/settings.json`;
    const warnings = [`Settings file "${path}": it is a link that leads out of the project; this is ignored`];
    assert.deepStrictEqual(outcome, { ok: true, value: { files: [], warnings, userFile: undefined } });
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});

async function policyOf(policy: unknown): Promise<Policy> {
  const parsed = await parsePolicy("/p", encodeText(JSON.stringify(policy)), 0);
  assert.ok(parsed.ok);
  return parsed.value;
}

Deno.test("L13 readSettingsFiles() lays a profile over the user's file, and a project narrows it", async () => {
  const user = JSON.stringify({
    timeout: 10,
    network: "full",
    protect: "a",
    profiles: { ci: { network: "localhost", protect: "b" }, dev: { strict: true } },
  });
  assert.deepStrictEqual((await read(undefined, user)).files, [{ timeout: ["10"], network: ["full"], protect: ["a"] }]);
  const narrowed = await read('{"network": "none", "protect": "c"}', user, { profile: "ci" });
  assert.deepStrictEqual(narrowed.files, [
    { network: ["none"], protect: ["c", "b"] },
    { timeout: ["10"], network: ["localhost"], protect: ["b"] },
  ]);
  const wider = await read('{"network": "full"}', user, { profile: "ci" });
  assert.equal(wider.warnings?.length, 1);
  const chosen = await read(undefined, '{"profile": "a", "profiles": {"a": {"sync": true}}}');
  assert.deepStrictEqual(chosen.files, [{ profile: ["a"], sync: [] }]);
  assert.match(
    (await read(undefined, user, { profile: "cy" })).problem ?? "",
    /^Cannot use profile "cy": the profiles in "[^"]+" are ci, dev; did you mean "ci"\?/,
  );
  assert.match(
    (await read(undefined, undefined, { profile: "x" })).problem ?? "",
    /: there is no profile in "[^"]+"; write it there under "profiles"$/,
  );
});

Deno.test("L13 readSettingsFiles() takes no profile of a project, and the machine's before the user's", async () => {
  const profiles = { ci: { timeout: 5 } };
  const ofProject = await read(JSON.stringify({ profiles, profile: "ci" }));
  assert.deepStrictEqual(ofProject.files, []);
  assert.match(ofProject.warnings?.join("\n") ?? "", /"profiles" of .* is ignored: a project may not have profiles/);
  assert.match(ofProject.warnings?.join("\n") ?? "", /"profile" of .* is ignored: a project may not set "profile"/);
  assert.match((await read(JSON.stringify({ profiles }), undefined, { profile: "ci" })).problem ?? "", /profile "ci"/);
  const policy = await policyOf({ profiles, force: { profile: "ci" } });
  const both = await read(undefined, JSON.stringify({ profiles: { ci: { timeout: 9 } } }), {
    policy,
    profile: "other",
  });
  assert.deepStrictEqual(both.files, [{ timeout: ["5"] }]);
  assert.deepStrictEqual(both.warnings, [
    'Profile "ci" of "~/.config/ahma/settings.json" is not used: "/p" has one of this name',
  ]);
});

Deno.test("S37 readSettingsFiles() leaves out what a project says against the policy", async () => {
  const policy = await policyOf({ forbid: ["bundles"], force: { network: ["a.test"], timeout: 10 } });
  const { files, warnings } = await read(
    '{"bundles": "git", "network": "localhost", "timeout": 20, "sync": true}',
    undefined,
    {
      policy,
    },
  );
  assert.deepStrictEqual(files, [{ network: ["localhost"], sync: [] }]);
  assert.deepStrictEqual(warnings, [
    'setting "bundles" of "./.ahma/settings.json" is ignored: policy "/p" forbids --bundles',
    'setting "timeout" of "./.ahma/settings.json" is ignored: policy "/p" allows at most --timeout 10',
  ]);
});
