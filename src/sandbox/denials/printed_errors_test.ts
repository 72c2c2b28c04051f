import assert from "node:assert/strict";
import { evidenceIn, printsError } from "./printed_errors.ts";

Deno.test("S15 printsError() knows an error by what runtimes print in every language, and no other by it", () => {
  const lines: readonly (readonly [string, boolean])[] = [
    ["Error: EROFS: read-only file system, open 'a'", true],
    ["OSError: [Errno 30] Nur lesbares Dateisystem: 'a'", true],
    ["Error: Système de fichiers en lecture seule (os error 30)", true],
    ["Error: ENOENT: no such file or directory, mkdir '.husky/_'", true], // Node, of what it may not make
    ["Error: ENOENT: no such file or directory, open '.husky/_'", false],
    ["Read-only file system", false], // one language only
    ["[Errno 301] x", false],
    ["(os error 3)", false],
    ["XEROFSX", false],
    ["30", false],
  ];
  for (const [line, said] of lines) assert.strictEqual(printsError(line, ["EROFS"]), said, line);
  assert.ok(printsError("[Errno -3] Temporary failure in name resolution", ["EAI_AGAIN"]));
  assert.ok(printsError("[Errno 13] Permission denied", ["EROFS", "EACCES"]));
  assert.ok(!printsError("[Errno 13] Permission denied", ["EROFS"]));
});

const PLACES = { directory: "/scope", home: "/home/user" };

function told(output: string): Readonly<Record<string, readonly [boolean, ...string[]]>> {
  return Object.fromEntries(
    [...evidenceIn(output, PLACES)].map(([path, { errors, spokenOf }]) => [path, [spokenOf, ...errors]]),
  );
}

Deno.test("S15 evidenceIn() finds what messages of any language say of the paths they name", () => {
  const rows: readonly (readonly [string, Readonly<Record<string, readonly [boolean, ...string[]]>>])[] = [
    ["cat: /data/x: Permission denied", { "/data/x": [true, "EACCES"] }],
    ["cat: /data/x: Keine Berechtigung", { "/data/x": [true] }],
    ["cat: /data/f: No such file or directory", { "/data/f": [true, "ENOENT"] }],
    ["cat: ../directory: No such file or directory", { "/directory": [true, "ENOENT"] }],
    ["make: Entering directory '/data/make'", { "/data/make": [false] }],
    ["cat: /data/file-x, /data/file", { "/data/file-x": [false], "/data/file": [false] }],
    ["ls: Zugriff auf '/data/x' nicht möglich: Keine Berechtigung", { "/data/x": [true] }],
    ["ls: cannot open directory '..': Permission denied", { "/": [false, "EACCES"] }],
    ["PermissionError: [Errno 13] Erlaubnis verweigert: '/data/x'", { "/data/x": [false, "EACCES"] }],
    ["could not create temp file ~/.rustup/tmp/x: (os error 30)", { "/home/user/.rustup/tmp/x": [true, "EROFS"] }],
    ["npm warn config EACCES: permission denied, open '/data/.npmrc'", {}],
    ["warning: unable to access '/data/.config/git/attributes': Permission denied", {}],
    ["/data/x\n/data/y is there", {}],
  ];
  for (const [output, expected] of rows) {
    assert.deepStrictEqual([output, told(output)], [output, expected]);
  }
});
