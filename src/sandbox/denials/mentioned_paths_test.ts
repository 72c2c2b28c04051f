import assert from "node:assert/strict";
import { pathsInCommand, pathsInOutput, targetsInCommand } from "./mentioned_paths.ts";

const PLACES = { directory: "/work/project", home: "/home/u" };

Deno.test("S15 pathsInOutput() finds paths in messages of any language and quoting", () => {
  const texts: readonly (readonly [string, readonly string[]])[] = [
    ["cat: /home/u/a: Permission denied", ["/home/u/a"]],
    ["touch: '/home/u/a b' kann nicht berührt werden: Keine Berechtigung", ["/home/u/a b", "/home/u/a"]],
    ["rm: kann „/srv/x“ nicht entfernen.", ["/srv/x"]],
    ["ls: impossible d'accéder à « ../geheim »", ["/work/geheim"]],
    ["bash: line 1: ~/new: Permission denied", ["/home/u/new"]],
    ["error: could not open /srv/x/y.rs:12:3.", ["/srv/x/y.rs"]],
    ["see https://example.test/a, or ssh://u@h:22/b", []],
    ["cannot connect to unix:///run/x.sock", ["/run/x.sock"]],
    ["nothing here, 1/2 done", ["/work/project/1/2"]],
    ["PATH is /a:/b", ["/a", "/b"]],
  ];
  for (const [text, paths] of texts) assert.deepStrictEqual([...pathsInOutput(text, PLACES)], paths, text);
});

Deno.test("S15 pathsInCommand() finds paths in argv and in shell lines", () => {
  const found = (...words: readonly string[]) => [...pathsInCommand(words, PLACES)];
  assert.deepStrictEqual(found("cp", "a b", "/srv/x y"), [
    "/work/project/cp",
    "/work/project/a b",
    "/work/project/a",
    "/work/project/b",
    "/srv/x y",
    "/srv/x",
    "/work/project/y",
  ]);
  assert.deepStrictEqual(found("--out=/srv/x", "-v"), ["/srv/x"]);
  assert.deepStrictEqual(found('cat "$HOME/.ssh/id" > ../b 2>&1').filter((path) => !path.startsWith("/work/project")), [
    "/home/u/.ssh/id",
    "/work/b",
  ]);
  assert.deepStrictEqual(found("${HOME}/x", "$OTHER/x", "~other/x"), ["/home/u/x"]);
  assert.deepStrictEqual(found("-I../words", "-L/srv/x", "-C..", "-I", "-j2", "--x/y"), [
    "/work/words",
    "/srv/x",
    "/work",
  ]);
});

Deno.test("S15 targetsInCommand() finds where output is redirected to, and what is copied to", () => {
  const found = (...words: readonly string[]) => [...targetsInCommand(words, PLACES)];
  assert.deepStrictEqual(found("echo x > ../a 2>>/srv/b; cat /srv/c"), ["/work/a", "/srv/b"]);
  assert.deepStrictEqual(found('make && cp -r "a b" ../c/ && mv d /srv/e; ls ../f'), ["/work/c", "/srv/e"]);
  assert.deepStrictEqual(found("/usr/bin/install", "-m", "755", "a", "/srv/b"), ["/srv/b"]);
  assert.deepStrictEqual([found("cp ../a"), found("cpio ../a ../b"), found("cat ../a ../b")], [[], [], []]);
});

Deno.test("S15 a path on another machine is not taken for one of this one", () => {
  const local = (text: string) =>
    [...pathsInCommand([text], PLACES)].filter((path) => !path.startsWith("/work/project"));
  assert.deepStrictEqual(local("git clone root@host:/path/r.git"), []);
  assert.deepStrictEqual(local("scp me@host.example:/etc/passwd /srv/x"), ["/srv/x"]);
  assert.deepStrictEqual([...pathsInOutput("fatal: root@host:/path/r.git is not there: /srv/y", PLACES)], ["/srv/y"]);
  // The control: without a user it may be a message about a file.
  assert.deepStrictEqual(local("cat:/srv/z"), ["/srv/z"]);
});

Deno.test("S15 pathsInOutput() and pathsInCommand() do bounded work", () => {
  const flood = Array.from({ length: 100_000 }, (_, index) => `/p/${index}`).join(" ");
  assert.strictEqual(pathsInOutput(flood, PLACES).size, 64);
  assert.strictEqual(pathsInCommand([flood], PLACES).size, 64);
  assert.deepStrictEqual([...pathsInOutput(`/${"x".repeat(5000)}`, PLACES)], []);
});
