import assert from "node:assert/strict";
import { python, type TestProject, withProject } from "./_support/projects.ts";
import { letterOf, told } from "./model/change.ts";
import type { Recorder, Undone } from "./recorder.ts";

/** Files, links, modes, times, names that are not UTF-8, empty directories, a file with two names, an ignored one. */
const MAKE = `
import os, sys
os.chdir(sys.argv[1])
os.umask(0o022)
os.makedirs(b"src/deep/deeper"); os.makedirs(b"empty"); os.makedirs(b"\\xff\\xfe/in")
for n, t in [(b"a.txt", b"one"), (b"src/b.ts", b"two\\n" * 1000), (b"src/deep/deeper/c", b""), (b"\\xff\\xfe/in/\\xfd", b"bytes"),
             (b"big", os.urandom(3 << 20)), (b".gitignore", b"/out\\n"), (b"run", b"#!/bin/sh\\n")]:
  open(n, "wb").write(t)
os.link(b"a.txt", b"src/second"); os.symlink(b"../a.txt", b"src/link"); os.symlink(b"nowhere\\xff", b"dangling")
os.makedirs(b"out"); open(b"out/made", "w").write("made")
os.chmod(b"run", 0o755); os.chmod(b"src/b.ts", 0o600); os.chmod(b"empty", 0o710); os.chmod(b"src/deep", 0o750)
for n in [b"a.txt", b"run", b"src/link", b"src/deep/deeper/c", b"src/deep/deeper", b"src/deep", b"src", b"empty", b"\\xff\\xfe/in", b"\\xff\\xfe"]:
  os.utime(n, ns=(1, 1600000000123456789 + len(n)), follow_symlinks=False)
`;

function as(operation: string) {
  return { operation, title: operation };
}

function undo(recorder: Recorder, ...args: Parameters<Recorder["undo"]>): Undone {
  const work = recorder.undo(...args);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

function change(recorder: Recorder, operation: string, work: () => void) {
  recorder.begin({ operation, title: operation });
  work();
  return recorder.end(operation).changes;
}

function letters(project: TestProject, changes: ReturnType<typeof change>): readonly string[] {
  return told(changes).map((one) => `${letterOf(one)} ${one.path.slice(project.tree.length + 1)}`);
}

Deno.test("S39 all that a command removed comes back with modes, links, times and names of any bytes", () =>
  withProject((project) => {
    python(MAKE, project.tree);
    const before = project.facts();
    const recorder = project.start();
    const removed = change(recorder, "one", () => project.run("rm -rf ./* .gitignore"));
    assert.equal(told(removed).length, 18);
    assert.deepEqual(undo(recorder, removed, undefined, as("two")).left, []);
    assert.equal(project.facts(), before);
    const [undone] = recorder.operations();
    assert.equal(undone?.operation, "two");
    undo(recorder, undone?.changes ?? [], undefined, as("three"));
    assert.deepEqual([...Deno.readDirSync(project.tree)], []);
  }));

Deno.test("S39 each way to change a file is noticed and taken back, with what moved, grew, or became another kind", () =>
  withProject((project) => {
    python(MAKE, project.tree);
    const before = project.facts();
    const recorder = project.start();
    const lines = [
      "sed -i s/two/three/ src/b.ts && echo more >> a.txt && chmod 700 run && touch -d 2001-01-01 big",
      "mv src moved && mkdir src && mv moved/deep src && rm -r empty && echo now a file > empty",
      "rm dangling && mkdir dangling && echo x > dangling/x && ln -sf elsewhere src && rm -rf out && ln -s src out",
      "mkdir -p new/in/it && cp big new/in/it/ && printf y | dd of=big bs=1 seek=9 conv=notrunc status=none",
    ];
    const all = change(recorder, "one", () => lines.forEach((line) => project.run(line)));
    assert.deepEqual(undo(recorder, all, undefined, as("two")).left, []);
    assert.equal(project.facts(), before);
  }));

Deno.test("S39 what was changed since is named and left alone, unless it is chosen", () =>
  withProject((project) => {
    project.run("mkdir d && echo 1 > d/a && echo 1 > d/b && echo 1 > c");
    const recorder = project.start();
    const changes = change(recorder, "one", () => project.run("echo 2 > d/a; echo 2 > d/b; rm c; echo 2 > e"));
    project.run("echo mine > d/a; echo mine > c; echo mine > e; echo other > f");
    const path = (name: string) => `${project.tree}/${name}`;
    const undone = undo(recorder, changes, undefined, as("two"));
    assert.deepEqual(undone.left.map((one) => one.path), ["c", "d/a", "e"].map(path));
    assert.deepEqual(undone.done.map((one) => one.path), [path("d/b")]);
    const chosen = undo(recorder, changes, [path("d/a"), path("e")], as("three"));
    assert.deepEqual([chosen.left, chosen.done.map((one) => one.path)], [[], [path("e"), path("d/a")]]);
    project.run("test $(cat d/a d/b c f | tr '\\n' ' ' | tr -d ' ') = 11mineother && test ! -e e");
    assert.deepEqual(letters(project, recorder.operations()[0]?.changes ?? []), ["M d/a", "D e"]);
  }));

Deno.test("S39 a pipe, a socket and an ignored file over the bound are told, and the rest comes back", () =>
  withProject((project) => {
    project.run(
      "echo '*.o' > .gitignore; mkfifo pipe; head -c 5000 /dev/zero > big.o; echo s > small.o; echo k > kept",
    );
    const recorder = project.start(1000);
    const changes = change(recorder, "one", () => project.run("rm -r *"));
    const left = undo(recorder, changes, undefined, as("two")).left;
    assert.deepEqual(left, [
      { path: `${project.tree}/big.o`, reason: "its content was not kept: ignored files are over --undo-ignored" },
      { path: `${project.tree}/pipe`, reason: "pipes, sockets and devices are not kept" },
    ]);
    assert.deepEqual(Array.from(Deno.readDirSync(project.tree), ({ name }) => name).sort(), [
      ".gitignore",
      "kept",
      "small.o",
    ]);
  }));

Deno.test("S39 what a killed process began is found by the next one, and two at once keep apart what they record", () =>
  withProject((project) => {
    project.run("echo 1 > a; echo 1 > b");
    const first = project.start();
    first.begin(as("killed"));
    project.run("echo 2 > a");
    project.kill(first);
    const [second, third] = [project.start(), project.start()];
    const changes = change(third, "third", () => project.run("echo 3 > b"));
    assert.deepEqual(letters(project, changes), ["M b"]);
    for (const one of [second, third]) {
      const known = one.operations().map(({ operation, changes }) => [operation, ...letters(project, changes)]);
      assert.deepEqual(known.sort(), [["killed", "M a"], ["third", "M b"]]);
    }
    const killed = second.operations().find(({ operation }) => operation === "killed");
    assert.deepEqual(undo(second, killed?.changes ?? [], undefined, as("undo")).left, []);
    assert.equal(Deno.readTextFileSync(`${project.tree}/a`), "1\n");
  }));

Deno.test("S39 an operation whose recorder was killed while it ran is told with what is known, and as incomplete", () =>
  withProject((project) => {
    const killed = project.start();
    killed.begin(as("one"));
    project.run("touch before");
    project.kill(killed);
    const next = project.start();
    assert.equal(next.takeProblem(), undefined);
    project.run("touch after");
    assert.deepEqual(letters(project, next.end("one").changes), ["A before"]);
    assert.equal(next.takeProblem(), "what records changes was restarted while it ran");
    assert.deepEqual(letters(project, change(next, "two", () => project.run("touch two"))), ["A two"]);
    assert.equal(next.takeProblem(), undefined);
  }));

Deno.test("S39 operations that run at once share what changed meanwhile, and say so; one may run in several parts", () =>
  withProject((project) => {
    const recorder = project.start();
    recorder.begin(as("long"));
    project.run("echo 1 > a");
    change(recorder, "short", () => project.run("echo 1 > b"));
    recorder.end("long");
    change(recorder, "short", () => project.run("echo 1 > c"));
    const seen = recorder.operations().map(({ operation, shared, changes }) => [
      operation,
      shared.join(),
      letters(project, changes).join(),
    ]);
    assert.deepEqual(seen.sort(), [["long", "short", "A a,A b"], ["short", "long", "A b,A c"]]);
  }));

Deno.test("S39 a name of git that a command moved is told, and no file of git is looked at", () =>
  withProject((project) => {
    project.run("git init -q -b main . && git -c user.name=n -c user.email=e commit -q --allow-empty -m 1");
    const recorder = project.start();
    recorder.begin(as("one"));
    project.run("git checkout -q -b other && git -c user.name=n -c user.email=e commit -q --allow-empty -m 2");
    const { changes, refs } = recorder.end("one");
    assert.deepEqual(changes, []);
    assert.deepEqual(refs.map(({ name, before }) => [name, before]), [["HEAD", "ref: refs/heads/main"], [
      "refs/heads/other",
      undefined,
    ]]);
  }));

Deno.test("S39 a stored content that is damaged is not put back", () =>
  withProject((project) => {
    project.run("echo right > a");
    const recorder = project.start();
    const changes = change(recorder, "one", () => project.run("rm a"));
    const [{ name }] = [...Deno.readDirSync(`${project.store}/objects`)] as [Deno.DirEntry];
    Deno.writeTextFileSync(`${project.store}/objects/${name}`, "wrong");
    const { left } = undo(recorder, changes, undefined, as("two"));
    assert.deepEqual(left.map(({ reason }) => reason), ["its stored content is damaged, or the disk is full"]);
    assert.deepEqual([...Deno.readDirSync(project.tree)], []);
  }));

Deno.test("S39 drafts that a killed undo left go at the next start, unless they hold what is kept nowhere else", () =>
  withProject((project) => {
    project.run("mkdir d; echo kept > d/a; ln -s a d/l");
    project.kill(project.start());
    const drafts = ["file", "link", "lost", "lost_link", "part-1"].map((name) => `.ahma-undo-${name}`);
    project.run(
      `cd d; cp a ${drafts[0]}; ln -s a ${drafts[1]}; echo mine > ${drafts[2]}; ln -s elsewhere ${
        drafts[3]
      }; printf ke > ${drafts[4]}`,
    );
    const there = () => Array.from(Deno.readDirSync(`${project.tree}/d`), ({ name }) => name).sort();
    const [one, other] = [project.start(), project.start()];
    assert.deepEqual(there(), [drafts[2], drafts[3], "a", "l"]);
    project.run(`cd d; cp a ${drafts[0]}`);
    project.kill(one);
    project.kill(project.start());
    assert.deepEqual(there(), [...drafts.slice(0, 1), drafts[2], drafts[3], "a", "l"], "the other may need it now");
    project.kill(project.start(undefined, () => Date.now() + 61_000));
    assert.deepEqual(there(), [drafts[2], drafts[3], "a", "l"]);
    project.kill(other);
  }));

Deno.test("S39 old operations go from a running server within a day, and what goes on then stays", () =>
  withProject((project) => {
    const day = 86_400_000;
    let at = Date.now();
    const recorder = project.start(undefined, () => at);
    project.run("echo kept > kept");
    change(recorder, "old", () => project.run("echo old > a"));
    change(recorder, "older", () => project.run("echo new > a"));
    recorder.begin(as("long"));
    change(recorder, "young", () => project.run("echo young > a"));
    const objects = () => {
      const names = Array.from(Deno.readDirSync(`${project.store}/objects`), ({ name }) => name);
      return names.map((name) => Deno.readTextFileSync(`${project.store}/objects/${name}`).trim()).sort();
    };
    assert.deepEqual(objects(), ["kept", "new", "old", "young"]);
    const known = () => recorder.operations().map(({ operation }) => operation).sort();
    assert.deepEqual(known(), ["long", "old", "older", "young"]);
    at += 6 * day;
    change(recorder, "middle", () => project.run("rm kept"));
    at += 2 * day;
    change(recorder, "last", () => project.run("echo last > a"));
    assert.deepEqual(known(), ["last", "long", "middle"]);
    assert.deepEqual(objects(), ["kept", "last", "new", "young"]);
    const { changes } = recorder.end("long");
    assert.deepEqual(letters(project, changes), ["M a", "D kept"]);
    project.kill(recorder);
    const next = project.start(undefined, () => at);
    assert.deepEqual(next.operations().map(({ operation }) => operation).sort(), ["last", "long", "middle"]);
    assert.deepEqual(undo(next, changes, undefined, as("undo")).left, []);
    // The journal itself may stay a moment: a program that is just being started may hold its lock still.
    project.run("test $(cat a kept | tr -d '\\n') = newkept");
  }));

Deno.test("S39 a file with holes takes its blocks only, in the store and when it is back", () =>
  withProject((project) => {
    project.run(
      "truncate -s 8M holes; printf data >> holes; printf x | dd of=holes bs=1 seek=4000000 conv=notrunc status=none",
    );
    const before = project.facts();
    const recorder = project.start();
    const changes = change(recorder, "one", () => project.run("rm holes"));
    assert.deepEqual(undo(recorder, changes, undefined, as("two")).left, []);
    assert.equal(project.facts(), before);
    project.run(`test $(du -k holes | cut -f1) -lt 4000 && test $(du -sk ${project.store}/objects | cut -f1) -lt 4000`);
  }));
