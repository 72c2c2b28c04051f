import assert from "node:assert/strict";
import { parseNameList } from "../../../../base/network/name_list.ts";
import { DEFAULT_CONFINEMENT } from "../../../../sandbox/policy/confinement.ts";
import { READABLE_TREE } from "../../../../sandbox/policy/landlock.ts";
import { sandboxSettings } from "../../../../sandbox/_support/settings.ts";
import { policyChecks, type ProjectFacts } from "./policy_checks.ts";
import { typed } from "./project_check.ts";
import type { ProjectNeeds } from "./project_needs.ts";

const CONFINEMENT = {
  ...DEFAULT_CONFINEMENT,
  filter: true,
  ownNetwork: false,
  countedByNamespace: true,
  ceilings: {},
  tasksAtStart: 300,
};
const POLICY = {
  writable: [{ path: "/p", device: 1n, inode: 1n }],
  grants: [{ path: "/opened", kind: "directory", rights: READABLE_TREE }],
  abi: 7,
  namespaces: true,
  keptCapabilities: [],
  confinement: CONFINEMENT,
  user: { uid: 1000, gid: 1000 },
} as const;
const FACTS: ProjectFacts = {
  policy: POLICY,
  choice: sandboxSettings("/x"),
  scope: "/p",
  scopes: ["/p"],
  sensitive: ["/home/u/.ssh"],
  home: "/home/u",
  environment: { HOME: "/home/u", CARGO_HOME: "/cache/cargo" },
  serverEnvironment: { TOKEN: "x" },
  look: (path) => ({ path, isDirectory: true }),
  isProtected: (path) => path.startsWith("/p/.git/"),
  git: { isOwn: true, linked: undefined, above: undefined, remotes: [], hasHooks: false },
};
const NO_NEEDS: ProjectNeeds = {
  tools: [],
  packages: false,
  addresses: [],
  places: [],
  variables: [],
  sockets: [],
  hooks: [],
  containers: [],
  filters: [],
  submodules: [],
  homes: [],
};

function need<Name extends string>(name: Name) {
  return { name, file: "f", directory: "/p" };
}

/** Identifier, status and flags of each row. */
function rows(needs: Partial<ProjectNeeds>, facts: Partial<ProjectFacts> = {}): readonly (readonly unknown[])[] {
  return policyChecks({ ...NO_NEEDS, ...needs }, { ...FACTS, ...facts })
    .map(({ id, status, flags }) => [id, status, ...flags.map(typed)]);
}

Deno.test("L6 policyChecks() judges places by the policy and names only flags that the server takes", () => {
  const places = ["/p/in", "/opened/a", "/src/other", "/home/u/.ssh", "/home/u", "/etc/x", "/"].map(need);
  assert.deepStrictEqual(rows({ places }), [
    ["place", "ok"],
    ["place", "warning", "--read /src/other"],
    ["place", "warning"],
    ["place", "warning"],
    ["place", "warning"],
    ["place", "warning"],
  ]);
  assert.deepStrictEqual(rows({ places: [need("/src/a\n--no-sandbox")] }), [["place", "warning"]]);
  assert.deepStrictEqual(rows({ places: [need("/gone")] }, { look: () => undefined }), []);
});

Deno.test("L6 policyChecks() judges network, variables, sockets and docker by the settings in force", () => {
  const needs = {
    packages: true,
    variables: [need("TOKEN"), need("HOME"), need("LD_PRELOAD")],
    sockets: [need("/run/db/sock"), need("/p/own.sock")],
    containers: [need("docker")],
    tools: [{ ...need("node"), wanted: undefined }],
  };
  const inForce = (confinement: object) => ({ policy: { ...POLICY, confinement: { ...CONFINEMENT, ...confinement } } });
  const passed = [["variable", "warning", "--env TOKEN"], ["variable", "ok"], ["variable", "warning"]];
  const closed = [["socket", "warning"], ["docker", "warning"]];
  assert.deepStrictEqual(rows(needs), [["network", "ok"], ...passed, ...closed]);
  assert.deepStrictEqual(rows(needs, inForce({ network: "none", ownNetwork: true, unixSockets: "deny" })), [
    ["network", "warning", "--network packages"],
    ...passed,
    ["socket", "warning"],
    ...closed.slice(1),
    ["own_sockets", "warning", "--unix-sockets allow"],
  ]);
  const open = [["socket", "ok"], ["docker", "ok"]];
  assert.deepStrictEqual(rows(needs, inForce({ unixSockets: "allow" })), [["network", "ok"], ...passed, ...open]);
});

Deno.test("S30 L6 policyChecks() proposes the list of hosts that a project needs, or what a list lacks", () => {
  const needs = {
    packages: true,
    tools: [{ ...need("npm"), wanted: undefined }],
    addresses: ["https://npm.example/x"],
  };
  const git = { ...FACTS.git, remotes: ["git@git.example:a/b"] };
  const found = (confinement: object) => {
    const policy = { ...POLICY, confinement: { ...CONFINEMENT, ...confinement } };
    return policyChecks({ ...NO_NEEDS, ...needs }, { ...FACTS, git, policy })
      .map(({ status, message, flags }) => [status, message.includes("--network packages,npm"), ...flags.map(typed)]);
  };
  const list = "packages,npm.example:443,git.example:22/any";
  const named = (names: string) => {
    const parsed = parseNameList(names);
    assert.ok(parsed.ok);
    return { network: "names", names: parsed.value, ownNetwork: true };
  };
  assert.deepStrictEqual(found({}), [["ok", true]]);
  assert.deepStrictEqual(found({ network: "none", ownNetwork: true }), [["warning", false, `--network ${list}`]]);
  assert.deepStrictEqual(found(named(list)), [["ok", false]]);
  assert.deepStrictEqual(found(named("packages,npm.example:443,*.y.example")), [[
    "warning",
    false,
    "--network 'packages,npm.example:443,*.y.example:80,443,git.example:22/any'",
  ]]);
});

Deno.test("L6 policyChecks() judges repositories, hooks, submodules and home by what is protected and writable", () => {
  const hooks = [need("husky"), need("pre-commit")] as const;
  const told = (facts: Partial<ProjectFacts>) => rows({ hooks }, facts).map(([, status]) => status);
  assert.deepStrictEqual(told({}), ["warning", "warning"]);
  assert.deepStrictEqual(told({ isProtected: (path) => path === "/p/.git/config" }), ["warning", "ok"]);
  assert.deepStrictEqual(told({ git: { ...FACTS.git, hasHooks: true } }), ["ok", "ok"]);
  const git = { isOwn: false, linked: "/main/.git", above: undefined, remotes: [], hasHooks: false };
  assert.deepStrictEqual(rows({ hooks }, { git }), [["git", "warning", "--write /main/.git"]]);
  assert.deepStrictEqual(rows({}, { git: { ...git, linked: undefined, above: "/src" } }), [["git", "warning"]]);
  assert.deepStrictEqual(rows({}, { git: { ...git, linked: undefined, above: "/home/u" } }), []);
  const submodules = ["https://example.com/a", "../a", "/srv/a"].map(need);
  assert.deepStrictEqual(rows({ submodules }), [["network", "ok"], ["submodule", "warning"]]);
  const homes = [need("MIX_HOME .mix")];
  assert.deepStrictEqual(rows({ homes }), [["home", "warning", "--private-home"]]);
  assert.deepStrictEqual(rows({ homes }, { environment: { HOME: "/p" } }), [["home", "ok"]]);
  assert.deepStrictEqual(rows({ homes }, { environment: { MIX_HOME: "/cache/mix" } }), []);
});
