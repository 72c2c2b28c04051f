import assert from "node:assert/strict";
import { holdsSensitive, movedPlaces, sensitivePlaces, sensitiveProblem } from "./credential_paths.ts";

async function inHome(test: (home: string) => Promise<void>): Promise<void> {
  const home = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${home}/elsewhere`);
    await test(home);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

function places(home: string, allow: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) {
  const outcome = sensitivePlaces({
    serverEnvironment: environment,
    home,
    workingDirectory: home,
    allowSensitive: allow,
  });
  return outcome.ok ? outcome.value : outcome.problem.replaceAll(home, "~");
}

const CLOSED = ["/home/u/.ssh", "/home/u/.config/gh"];

Deno.test("S7 sensitiveProblem() refuses a grant that is or lies in a place of credentials, and takes others", () => {
  const refused = ["/home/u/.ssh", "/home/u/.ssh/keys", "/home/u/.config/gh/x"];
  assert.deepStrictEqual(refused.filter((path) => sensitiveProblem(path, CLOSED) === undefined), []);
  const taken = ["/srv", "/home/u", "/home/u/.sshfs", "/home/u/.config/app"];
  assert.deepStrictEqual(taken.filter((path) => sensitiveProblem(path, CLOSED) !== undefined), []);
});

Deno.test("S7 holdsSensitive() knows what is, holds or lies in a place of credentials", () => {
  const paths = ["/", "/home/u", "/home/u/.config", "/home/u/.ssh", "/home/u/.ssh/keys", "/home/u/src", "/home/v"];
  assert.deepStrictEqual(paths.filter((path) => !holdsSensitive(path, CLOSED)), ["/home/u/src", "/home/v"]);
});

Deno.test("S7 sensitivePlaces() names keys, clouds, browsers, histories and our own store, also behind links", () =>
  inHome(async (home) => {
    await Deno.symlink(`${home}/elsewhere`, `${home}/.ssh`);
    const all = places(home, [], { XDG_STATE_HOME: "/state" });
    const wanted = [".ssh", "elsewhere", ".aws", ".gnupg", ".config/gcloud", ".mozilla", ".bash_history"];
    const missing = [...wanted.map((name) => `${home}/${name}`), "/state/ahma", `${home}/.local/state/ahma`]
      .filter((path) => !all.includes(path));
    assert.deepStrictEqual(missing, []);
  }));

Deno.test("S7 sensitivePlaces() opens one that a person insists on, and only whole ones", () =>
  inHome((home) => {
    assert.ok(places(home).includes(`${home}/.npmrc`));
    assert.ok(!places(home, [".npmrc"]).includes(`${home}/.npmrc`));
    assert.match(String(places(home, [`${home}/.ssh/known_hosts`])), /"~\/\.ssh" is closed as a whole/);
    assert.match(String(places(home, ["src"])), /it is not a path of credentials/);
    return Promise.resolve();
  }));

const NAMES = [".cargo/credentials.toml", ".config/gh", ".config/gcloud", ".docker", ".gnupg", ".ssh"];

function moved(environment: Readonly<Record<string, string>>): readonly string[] {
  return movedPlaces(NAMES, environment, "/home/u");
}

Deno.test("S7 movedPlaces() follows the variables that move directories and files of credentials", () => {
  assert.deepStrictEqual(moved({}), []);
  assert.deepStrictEqual(moved({ XDG_CONFIG_HOME: "/cfg/" }), ["/cfg/gh", "/cfg/gcloud"]);
  assert.deepStrictEqual(moved({ CLOUDSDK_CONFIG: "/gc", GNUPGHOME: "/keys", DOCKER_CONFIG: "/d", CARGO_HOME: "/c" }), [
    "/c/credentials.toml",
    "/gc",
    "/d",
    "/keys",
  ]);
  assert.deepStrictEqual(moved({ KUBECONFIG: "/k/one:/k/two:", AWS_SHARED_CREDENTIALS_FILE: "/a", NETRC: "/n" }), [
    "/a",
    "/k/one",
    "/k/two",
    "/n",
  ]);
});

Deno.test("S7 movedPlaces() hides neither home nor the system, and takes no relative path", () => {
  const variables = {
    GNUPGHOME: "/",
    DOCKER_CONFIG: "/home/u",
    HISTFILE: "/dev/null",
    KUBECONFIG: "config",
    NETRC: "",
  };
  assert.deepStrictEqual(moved(variables), []);
});
