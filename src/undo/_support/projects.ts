/** A project and a store for tests, and all facts of a tree as text, names that are not UTF-8 among them. */
import assert from "node:assert/strict";
import { FileCalls } from "../../system/open_files/file_calls.ts";
import { Recorder } from "../recorder.ts";

/** A directory for a project, and one for a store. */
export interface TestProject {
  readonly tree: string;
  readonly store: string;
  /** Opens the store as a server does that starts. */
  readonly start: (ignoredBytes?: number, now?: () => number) => Recorder;
  /** Ends a process: its lock goes, and nothing else is written. */
  readonly kill: (recorder: Recorder) => void;
  /** Runs a shell line in the tree. */
  readonly run: (line: string) => void;
  /** All facts of the tree, one line for each path. */
  readonly facts: () => string;
}

const FACTS = `
import os, hashlib, sys
top = os.fsencode(sys.argv[1])
def show(p):
  s = os.lstat(p)
  kind = {0o040000: "d", 0o100000: "f", 0o120000: "l"}.get(s.st_mode & 0o170000, "o")
  more = os.readlink(p) if kind == "l" else hashlib.sha256(open(p, "rb").read()).hexdigest() if kind == "f" else b""
  print(repr(p), kind, oct(s.st_mode), s.st_mtime_ns, s.st_uid, s.st_gid, s.st_nlink if kind == "f" else 0, more)
  if kind == "d":
    for n in sorted(os.listdir(p)):
      if n != b".git": show(p + b"/" + n)
show(top)
`;

/** Python, which knows names as bytes. */
export function python(script: string, ...args: readonly string[]): string {
  const { success, stdout, stderr } = new Deno.Command("python3", { args: ["-c", script, ...args] }).outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

export function withProject(test: (project: TestProject) => void): void {
  const base = Deno.realPathSync(Deno.makeTempDirSync({ dir: "/var/tmp" }));
  const [tree, store] = [`${base}/tree`, `${base}/store`];
  for (const path of [tree, store]) Deno.mkdirSync(path);
  const stack = new DisposableStack();
  const alive = new Set<Recorder>();
  const kill = (recorder: Recorder) => {
    alive.delete(recorder);
    recorder[Symbol.dispose]();
  };
  const start = (ignoredBytes = 64 * 1024 * 1024, now = Date.now) => {
    const calls = new FileCalls();
    const files = calls.begin();
    const directory = files.directoryAt(tree);
    assert.ok(directory !== undefined);
    const recorder = new Recorder({ files, roots: [{ path: tree, directory }], store, ignoredBytes, now });
    alive.add(recorder);
    stack.defer(() => [files, calls].forEach((one) => one[Symbol.dispose]()));
    return recorder;
  };
  try {
    test({
      tree,
      store,
      start,
      kill,
      run: (line) => {
        const ran = new Deno.Command("sh", { args: ["-c", line], cwd: tree }).outputSync();
        assert.ok(ran.success, new TextDecoder().decode(ran.stderr));
      },
      facts: () => python(FACTS, tree),
    });
  } finally {
    alive.forEach(kill);
    stack.dispose();
    new Deno.Command("chmod", { args: ["-R", "u+rwx", base] }).outputSync();
    Deno.removeSync(base, { recursive: true });
  }
}
