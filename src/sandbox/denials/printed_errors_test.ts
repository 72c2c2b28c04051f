import assert from "node:assert/strict";
import { printsError } from "./printed_errors.ts";

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
