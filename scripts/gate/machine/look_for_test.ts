import assert from "node:assert/strict";
import { missingOf, provide, refusal } from "./look_for.ts";
import { installCommand, type Prerequisite } from "./prerequisites.ts";

function need(what: string, debianPackage = "some-package"): Prerequisite {
  return { what, debianPackage, neededBy: `tests of ${what}` };
}

const DIRECTORIES = ["/usr/local/bin", "/usr/bin", "/bin"];
const ABSENT = [need("no-such-program"), need("/no/such/file"), need("import no_such_module")];

Deno.test("G1 missingOf() looks for programs on the tests' PATH, for files, and for modules of Python", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/own-program`, "", { mode: 0o755 });
    await Deno.writeTextFile(`${directory}/plain-file`, "", { mode: 0o644 });
    const there = [need("sh"), need("own-program"), need("/usr/bin/env"), need("import json")];
    const all = [...there, need("plain-file"), ...ABSENT];
    const missing = await missingOf(all, [...DIRECTORIES, directory]);
    assert.deepStrictEqual(missing.map(({ what }) => what), ["plain-file", ...ABSENT.map(({ what }) => what)]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("G1 provide() asks for nothing where nothing is missing, and refuses without apt-get, with all that is missing", async () => {
  const said: string[] = [];
  const options = { directories: DIRECTORIES, installer: undefined, say: (line: string) => void said.push(line) };
  assert.deepStrictEqual([await provide([need("sh")], options), said], [true, []]);
  assert.deepStrictEqual([await provide([need("sh"), ...ABSENT], options), said], [false, refusal(ABSENT)]);
  assert.deepStrictEqual(refusal([need("a", "one"), need("b", "two"), need("c", "one")]), [
    "The tests need what this machine does not have:",
    "  a (one): tests of a",
    "  b (two): tests of b",
    "  c (one): tests of c",
    "Install it, and run this again: sudo apt-get install -y --no-install-recommends one two",
  ]);
});

Deno.test("G1 provide() installs what is missing and starts no service, and says so; what is missing after that is told", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const wanted = need("wanted", "its-package");
    const say = (line: string) => void said.push(line);
    const said: string[] = [];
    const installer = { program: `${directory}/apt-get`, policy: `${directory}/policy` };
    const asks = `${installer.policy}; echo "$? $*" >> ${directory}/calls`;
    const lines = ["#!/bin/sh", asks, `[ $1 = update ] || cp /bin/true ${directory}/wanted`];
    await Deno.writeTextFile(installer.program, lines.join("\n"), { mode: 0o755 });
    const options = { directories: [directory], say, installer };
    assert.deepStrictEqual([await provide([wanted, need("/no/such/file")], options), said], [false, [
      "The tests need Debian packages, which are installed now: its-package some-package",
      ...refusal([need("/no/such/file")]),
    ]]);
    assert.deepStrictEqual([await provide([wanted], options), said.length], [true, 4]);
    assert.deepStrictEqual(
      await Deno.readTextFile(`${directory}/calls`),
      `101 update -qq\n101 ${installCommand([wanted, ...ABSENT.slice(0, 1)]).slice(1).join(" ")}\n`,
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
