import assert from "node:assert/strict";
import pins from "../executable/runtime_pins.json" with { type: "json" };
import { PROJECT } from "./_support/assets.ts";
import { faultsBy } from "./_support/schemas.ts";
import { importedPackages } from "./imported_packages.ts";
import { type LockFile, sbom } from "./sbom.ts";

const SCHEMA = "http://cyclonedx.org/schema/bom-1.6.schema.json";

Deno.test("D4 sbom() names each package that the program imports, and each file of the runtime, with its sum", async () => {
  const packages = await importedPackages();
  const lock: LockFile = JSON.parse(await Deno.readTextFile(new URL("../../deno.lock", import.meta.url)));
  const bill = sbom(PROJECT, packages, lock);
  assert.deepStrictEqual(await faultsBy(SCHEMA, bill), []);
  const { components } = bill as { readonly components: readonly Record<string, unknown>[] };
  const runtimes = Object.values(pins.targets).filter((pin) => "sha256" in pin);
  assert.deepStrictEqual(components.map(({ name, version }) => `${name}@${version}`), [
    ...packages,
    ...runtimes.map((pin) => `${pin.package}@${pins.version}`),
  ]);
  for (const used of ["@modelcontextprotocol/server@", "linkedom@", "web-tree-sitter@", "@vscode/tree-sitter-wasm@"]) {
    assert.ok(packages.some((id) => id.startsWith(used)), `${used} of the server, its workers or their data`);
  }
  assert.deepStrictEqual(packages.filter((id) => /^(fast-check|ajv|picomatch)@/.test(id)), [], "these are for tests");
  const refs = components.map((one) => one["bom-ref"]);
  assert.deepStrictEqual(refs.length, new Set(refs).size);
});

Deno.test("D4 sbom() refuses a package that the lock file does not hold to a sum", () => {
  assert.throws(
    () => sbom(PROJECT, ["left@1.0.0"], { npm: {} }),
    /"left@1\.0\.0" is imported, and deno\.lock lacks it/,
  );
  const weak = { npm: { "left@1.0.0": { integrity: "sha1-x" } } };
  assert.throws(() => sbom(PROJECT, ["left@1.0.0"], weak), /"left@1\.0\.0" has no SHA-512/);
});

Deno.test("D4 the schema of CycloneDX refuses a component without a name and a sum of another form", async () => {
  const wrong = { bomFormat: "CycloneDX", specVersion: "1.6", components: [{ type: "library" }] };
  assert.deepStrictEqual(await faultsBy(SCHEMA, wrong), ["/components/0 must have required property 'name'"]);
});
