import assert from "node:assert/strict";
import { movedPlaces } from "./credential_overrides.ts";

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
