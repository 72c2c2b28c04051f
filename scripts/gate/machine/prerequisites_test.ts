import assert from "node:assert/strict";
import { type Machine, prerequisitesFor, releaseOf } from "./prerequisites.ts";

const DEBIAN_12: Machine = { arch: "x86_64", release: "debian 12" };

Deno.test("G1 each prerequisite stands once, with a package and what needs it", () => {
  const all = prerequisitesFor(DEBIAN_12);
  assert.deepStrictEqual([...new Set(all.map(({ what }) => what))], all.map(({ what }) => what));
  for (const { what, debianPackage, neededBy } of all) {
    assert.match(what, /^(?:[\w+-]+|\/[\w./+-]+|import \w+)$/);
    assert.match(debianPackage, /^[a-z\d][a-z\d.+-]+$/, what);
    assert.ok(neededBy.length > 0, what);
  }
});

Deno.test("G1 prerequisitesFor() takes the packages of the release, and leaves out what a processor has itself", () => {
  const packages = (machine: Machine, names: readonly string[]) =>
    prerequisitesFor(machine).filter(({ what }) => names.includes(what)).map(({ debianPackage }) => debianPackage);
  const varying = ["cargo", "cargo-clippy", "docker", "/usr/aarch64-linux-gnu/lib/libgcc_s.so.1"];
  assert.deepStrictEqual(packages(DEBIAN_12, varying), ["libgcc-s1-arm64-cross", "cargo-web", "docker.io"]);
  assert.deepStrictEqual(packages({ arch: "aarch64", release: "debian 13" }, varying), [
    "cargo",
    "rust-clippy",
    "docker-cli",
  ]);
});

Deno.test("G1 releaseOf() reads /etc/os-release", () => {
  const text =
    'PRETTY_NAME="Debian GNU/Linux 12"\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\nID=debian\nID_LIKE="x"\n';
  assert.deepStrictEqual([releaseOf(text), releaseOf("ID=arch\n"), releaseOf("")], ["debian 12", "arch", ""]);
});
