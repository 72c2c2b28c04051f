import assert from "node:assert/strict";
import { aptSources, authoritiesBeyond, mirrorOf, passedVariables, testCommand } from "./machine_settings.ts";

Deno.test("G1 passedVariables() leads to registries, and takes along neither tokens nor tool chains", () => {
  const passed = {
    HTTPS_PROXY: "http://proxy.invalid",
    no_proxy: "localhost",
    NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
    PIP_INDEX_URL: "https://index.invalid",
    npm_config_registry: "https://registry.invalid",
    CARGO_REGISTRIES_OWN_INDEX: "sparse+https://index.invalid",
    GOPROXY: "https://proxy.invalid",
  };
  const kept = {
    PATH: "/home/person/bin",
    HOME: "/home/person",
    GITHUB_TOKEN: "t",
    npm_config_token: "t",
    CARGO_HOME: "/home/person/.cargo",
  };
  assert.deepStrictEqual(passedVariables({ ...kept, ...passed }), passed);
});

Deno.test("G1 authoritiesBeyond() gives those of one bundle that another has not, however they are wrapped", () => {
  const one = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;
  assert.deepStrictEqual(authoritiesBeyond(`# a\n${one("AB\nCD")}\n${one("own")}\n`, one("ABCD")), [one("own")]);
  assert.deepStrictEqual(authoritiesBeyond("", one("ABCD")), []);
});

Deno.test("G1 mirrorOf() finds the mirror in both forms of sources, and aptSources() names its updates", () => {
  const known = "deb [signed-by=/k] http://mirror.invalid/debian bookworm main\n";
  assert.deepStrictEqual(
    [known, "Types: deb\n# old\nURIs: https://mirror.invalid/debian/\n", "deb http://x.invalid/tools stable main\n"]
      .map(
        mirrorOf,
      ),
    ["http://mirror.invalid/debian", "https://mirror.invalid/debian", undefined],
  );
  assert.strictEqual(
    aptSources("bookworm", "http://mirror.invalid/debian"),
    "deb http://mirror.invalid/debian bookworm main\ndeb http://mirror.invalid/debian bookworm-updates main\n" +
      "deb http://mirror.invalid/debian-security bookworm-security main\n",
  );
});

Deno.test("G1 testCommand() is the one that README names", async () => {
  const readme = await Deno.readTextFile(new URL("../../../README.md", import.meta.url));
  assert.strictEqual(testCommand(readme), `npx -y deno@${Deno.version.deno} task ok:full`);
});
