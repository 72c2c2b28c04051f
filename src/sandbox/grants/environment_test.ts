import assert from "node:assert/strict";
import { buildEnvironment, type EnvironmentPlan, isForbiddenVariable } from "./environment.ts";

const PLAN: Omit<EnvironmentPlan, "serverEnvironment"> = {
  confinement: { network: "full" },
  environmentNames: [],
  temporaryDirectory: "/tmp/s/tmp",
  cacheDirectory: "/cache",
  gitConfiguration: "/tmp/s/gitconfig",
  configuration: { GOENV: "/tmp/s/goenv" },
  shell: "/bin/bash",
  home: "/home/u",
  privateHome: false,
};

Deno.test("S9 buildEnvironment() passes nothing that is not on the list", () => {
  const server = {
    PATH: "/usr/bin:.::bin:/bin/",
    HOME: "/home/u",
    LC_ALL: "de_DE.UTF-8",
    LC_TOKEN: "t",
    AHMA_NO_SANDBOX: "1",
    GITHUB_TOKEN: "t",
    AWS_SECRET_ACCESS_KEY: "k",
    LD_PRELOAD: "/x.so",
    BASH_ENV: "/x",
    ENV: "/x",
    PROMPT_COMMAND: "x",
    "BASH_FUNC_ls%%": "() { :; }",
    GIT_SSH_COMMAND: "x",
    NODE_OPTIONS: "--require x",
    SSH_AUTH_SOCK: "/s",
    http_proxy: "http://proxy:3128",
    https_proxy: "http://user:secret@proxy:3128",
  };
  const environment = buildEnvironment({ ...PLAN, serverEnvironment: server });
  assert.deepStrictEqual(
    Object.keys(environment).filter((name) => name in server).sort(),
    ["HOME", "LC_ALL", "PATH", "http_proxy"],
  );
  assert.match(environment["PATH"] ?? "", /^\/usr\/bin:\/bin:\/cache\/cargo\/bin:[^:]/);
});

Deno.test("X15 buildEnvironment() lets no command wait for a person", () => {
  const { GIT_TERMINAL_PROMPT, PAGER, TERM, DENO_NO_PROMPT } = buildEnvironment({ ...PLAN, serverEnvironment: {} });
  assert.deepStrictEqual([GIT_TERMINAL_PROMPT, PAGER, TERM, DENO_NO_PROMPT], ["0", "cat", "dumb", "1"]);
});

Deno.test("S30 buildEnvironment() lets npm and pip repeat soon what is refused, unless a person says otherwise", () => {
  const built = (network: "names" | "none" | "full", serverEnvironment = {}) => {
    const { PIP_RETRIES, npm_config_fetch_retry_mintimeout: npm } = buildEnvironment({
      ...PLAN,
      confinement: { network },
      serverEnvironment,
      environmentNames: ["PIP_RETRIES"],
    });
    return [PIP_RETRIES, npm];
  };
  assert.deepStrictEqual(built("names"), ["2", "100"]);
  assert.deepStrictEqual(built("none"), ["2", "100"]);
  assert.deepStrictEqual(built("names", { PIP_RETRIES: "9" }), ["9", "100"]);
  assert.deepStrictEqual(built("full"), [undefined, undefined]);
});

Deno.test("S9 buildEnvironment() adds what --env names, except what loads code everywhere", () => {
  const server = { MY_TOKEN: "t", LD_PRELOAD: "x", AHMA_SYNC: "1" };
  const environment = buildEnvironment({
    ...PLAN,
    serverEnvironment: server,
    environmentNames: ["MY_TOKEN", "LD_PRELOAD", "AHMA_SYNC", "ABSENT"],
  });
  assert.deepStrictEqual(
    [environment["MY_TOKEN"], environment["LD_PRELOAD"], environment["AHMA_SYNC"], "ABSENT" in environment],
    ["t", undefined, undefined, false],
  );
});

Deno.test("S5 buildEnvironment() sets TMPDIR only where there are temporary files", () => {
  const environment = buildEnvironment({
    ...PLAN,
    temporaryDirectory: undefined,
    serverEnvironment: { TMPDIR: "/var/tmp" },
  });
  assert.ok(!("TMPDIR" in environment));
});

Deno.test("S25 buildEnvironment() leads to a private home, to tool chains in the user's, and to git's cleaned configuration", () => {
  const server = { HOME: "/home/u", PYENV_ROOT: "/opt/pyenv" };
  const built = buildEnvironment({ ...PLAN, privateHome: true, serverEnvironment: server });
  const { HOME, RUSTUP_HOME, PYENV_ROOT, JAVA_OPTS, GIT_CONFIG_GLOBAL, SBT_OPTS } = built;
  assert.deepStrictEqual(
    { HOME, RUSTUP_HOME, PYENV_ROOT, JAVA_OPTS, GIT_CONFIG_GLOBAL },
    {
      HOME: "/cache/home",
      RUSTUP_HOME: "/home/u/.rustup",
      PYENV_ROOT: "/opt/pyenv",
      JAVA_OPTS: "-Duser.home=/cache/home",
      GIT_CONFIG_GLOBAL: "/tmp/s/gitconfig",
    },
  );
  assert.match(SBT_OPTS ?? "", /^-Dsbt.* -Duser\.home=\/cache\/home$/);
});

Deno.test("S9 isForbiddenVariable() knows what is dangerous in any environment", () => {
  const names = ["LD_LIBRARY_PATH", "BASH_FUNC_x%%", "PS4", "AHMA_TIMEOUT", "MY_LD_PRELOAD", "PATH"];
  assert.deepStrictEqual(names.map(isForbiddenVariable), [true, true, true, true, false, false]);
});
