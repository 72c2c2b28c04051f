import assert from "node:assert/strict";
import { evidenceIn } from "./printed_evidence.ts";

const PLACES = { directory: "/scope", home: "/home/user" };

function told(output: string): Readonly<Record<string, readonly [boolean, ...string[]]>> {
  return Object.fromEntries(
    [...evidenceIn(output, PLACES)].map(([path, { errors, spokenOf }]) => [path, [spokenOf, ...errors]]),
  );
}

Deno.test("S15 evidenceIn() finds what messages of any language say of the paths they name", () => {
  const rows: readonly (readonly [string, Readonly<Record<string, readonly [boolean, ...string[]]>>])[] = [
    ["cat: /root/x: Permission denied", { "/root/x": [true, "EACCES"] }],
    ["cat: /root/x: Keine Berechtigung", { "/root/x": [true] }],
    ["ls: Zugriff auf '/root/x' nicht möglich: Keine Berechtigung", { "/root/x": [true] }],
    ["ls: cannot open directory '..': Permission denied", { "/": [false, "EACCES"] }],
    ["PermissionError: [Errno 13] Erlaubnis verweigert: '/root/x'", { "/root/x": [false, "EACCES"] }],
    ["could not create temp file ~/.rustup/tmp/x: (os error 30)", { "/home/user/.rustup/tmp/x": [true, "EROFS"] }],
    ["npm warn config EACCES: permission denied, open '/root/.npmrc'", {}],
    ["warning: unable to access '/root/.config/git/attributes': Permission denied", {}],
    ["/root/x\n/root/y is there", {}],
  ];
  for (const [output, expected] of rows) {
    assert.deepStrictEqual([output, told(output)], [output, expected]);
  }
});
