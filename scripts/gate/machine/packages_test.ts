import assert from "node:assert/strict";
import { merged, packagesOf, withDependencies } from "./packages.ts";

const LISTING = [
  "installed\tbash\tyes\trequired\tbase-files (>= 2), debianutils, libc6 (>= 2.36)\t",
  "installed\tlibc6\tno\toptional\t, libgcc-s1\tlibc-bin-dev (= 2)",
  "installed\tdebianutils\tno\toptional\t, \t",
  "installed\tmawk\tno\trequired\t, \tawk",
  "installed\tgit\tno\toptional\t, perl:any | perl5, libc6 (>= 2.34)\tgit-core",
  "installed\tperl-base\tno\toptional\t, \tperl5",
  "config-files\tgone\tyes\trequired\t, \tperl",
  "installed\tjq\tno\toptional\t, libc6\t",
  "",
].join("\n");

Deno.test("G1 packagesOf(), withDependencies() find what is there with the named packages: the essential ones, and what all depend on", () => {
  const all = packagesOf(LISTING);
  assert.deepStrictEqual(all[0], {
    name: "bash",
    isEssential: true,
    depends: ["base-files", "debianutils", "libc6"],
    provides: [],
  });
  const essential = ["bash", "debianutils", "libc6", "mawk"];
  assert.deepStrictEqual([...withDependencies(all, [])].toSorted(), essential);
  const withGit = ["bash", "debianutils", "git", "libc6", "mawk", "perl-base"];
  assert.deepStrictEqual([...withDependencies(all, ["git-core", "rsync"])].toSorted(), withGit);
});

Deno.test("G1 merged() gives a path below /usr for one of the directories that became links", () => {
  const paths = ["/bin/sh", "/sbin/mkfs", "/lib64/ld.so", "/usr/bin/sh", "/library/x", "/binary"];
  assert.deepStrictEqual(paths.map(merged), [
    "/usr/bin/sh",
    "/usr/sbin/mkfs",
    "/usr/lib64/ld.so",
    "/usr/bin/sh",
    "/library/x",
    "/binary",
  ]);
});
