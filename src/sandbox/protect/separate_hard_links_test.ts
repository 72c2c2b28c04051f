import assert from "node:assert/strict";
import { encodeText } from "../../base/text.ts";
import { type FileFacts, Libc } from "../../system/libc.ts";
import type { PinnedDirectory } from "../policy/policy.ts";
import { fingerprintOf } from "./path_snapshot.ts";
import { Separator } from "./separate_hard_links.ts";

interface Place {
  readonly base: string;
  readonly tree: PinnedDirectory;
  /** What is under a name of the tree now. */
  look(name: string): FileFacts;
  /** Of `tree/a/config`, as it is at this moment. */
  separate(path?: string): boolean;
}

/** `a/config` in the tree is one file with `keep` in the tree. */
async function inTree(test: (place: Place) => Promise<void>): Promise<void> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const libc = new Libc();
  using separator = new Separator();
  const path = `${base}/tree/a/config`;
  try {
    await Deno.mkdir(`${base}/tree/a`, { recursive: true });
    await Deno.writeTextFile(path, "[core]\n", { mode: 0o640 });
    await Deno.link(path, `${base}/tree/keep`);
    const tree = { path: `${base}/tree`, ...libc.identityOf(`${base}/tree`) ?? assert.fail("no tree") };
    const wanted = libc.lookAt(path) ?? assert.fail("no file");
    await test({
      base,
      tree,
      look: (name) => libc.lookAt(`${tree.path}/${name}`) ?? assert.fail(`no ${name}`),
      separate: (other = path) => separator.separate({ path: other, wanted, tree }).change === "separated",
    });
  } finally {
    libc[Symbol.dispose]();
    await Deno.remove(base, { recursive: true });
  }
}

async function state(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { mode, uid, gid, mtime, nlink } = await Deno.lstat(path);
  return { text: await Deno.readTextFile(path), mode, uid, gid, mtime, nlink };
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name);
}

Deno.test("S21 Separator.separate() makes a file of its own with the same content, mode, owner and time", () =>
  inTree(async ({ tree, separate }) => {
    const path = `${tree.path}/a/config`;
    const before = await state(path);
    assert.ok(separate());
    assert.deepStrictEqual(await state(path), { ...before, nlink: 1 });
    await Deno.writeTextFile(`${tree.path}/keep`, "evil");
    assert.deepStrictEqual(await Deno.readTextFile(path), "[core]\n");
    assert.deepStrictEqual(await namesIn(`${tree.path}/a`), ["config"]);
    assert.ok(!separate(), "it is another file now");
  }));

Deno.test("S21 Separator.separate() keeps extended attributes", () =>
  inTree(async ({ tree, separate }) => {
    const path = `${tree.path}/a/config`;
    const python = (line: string) => new Deno.Command("python3", { args: ["-c", `import os; ${line}`] }).output();
    await python(`os.setxattr("${path}", "user.note", b"kept")`);
    assert.ok(separate());
    const { stdout } = await python(`print(os.getxattr("${path}", "user.note"))`);
    assert.deepStrictEqual(new TextDecoder().decode(stdout), "b'kept'\n");
  }));

Deno.test("S21 Separator.separate() leaves a file alone that git holds the lock of, and what is too large", () =>
  inTree(async ({ tree, separate }) => {
    await Deno.writeTextFile(`${tree.path}/a/config.lock`, "git's");
    assert.ok(!separate());
    assert.deepStrictEqual(await Deno.readTextFile(`${tree.path}/a/config.lock`), "git's");
    await Deno.remove(`${tree.path}/a/config.lock`);
    await Deno.truncate(`${tree.path}/a/config`, 5_000_000);
    assert.ok(!separate());
    assert.deepStrictEqual((await Deno.lstat(`${tree.path}/a/config`)).nlink, 2);
  }));

Deno.test("S21 Separator.separate() follows no link, reaches nothing outside the tree, and no other file", () =>
  inTree(async ({ base, tree, separate }) => {
    const inside = `${tree.path}/a`;
    await Deno.rename(inside, `${base}/outside`);
    const before = await state(`${base}/outside/config`);
    await Deno.symlink("../outside", inside);
    assert.ok(!separate(), "a link on the way");
    assert.ok(!separate(`${tree.path}/../outside/config`), "a step up");
    await Deno.remove(inside);
    await Deno.mkdir(inside);
    await Deno.symlink("../../outside/config", `${inside}/config`);
    assert.ok(!separate(), "a link at the end");
    await Deno.remove(`${inside}/config`);
    await Deno.writeTextFile(`${inside}/config`, "another");
    assert.ok(!separate(), "another file");
    await Deno.rename(tree.path, `${base}/old`);
    await Deno.mkdir(tree.path);
    await Deno.rename(`${base}/outside`, inside);
    assert.ok(!separate(), "another tree");
    assert.deepStrictEqual(await state(`${inside}/config`), before);
    assert.deepStrictEqual(await namesIn(inside), ["config"]);
  }));

/** Exchanges the directory for a link that leads outside and back, as fast as it can, and says so when it has begun. */
const EXCHANGING = `
import os, sys
os.chdir(sys.argv[1])
os.symlink("../outside", "link")
began = False
while True:
  os.rename("a", "b"); os.rename("link", "a")
  os.rename("a", "link"); os.rename("b", "a")
  if not began: began = True; print("begun", flush=True)
`;

Deno.test("S21 Separator.separate() reaches nothing outside while a command exchanges the directory", () =>
  inTree(async ({ base, tree, look }) => {
    using separator = new Separator();
    await Deno.mkdir(`${base}/outside`);
    const files: { readonly name: string; readonly facts: FileFacts }[] = [];
    for (let number = 0; number < 30; number++) {
      const name = `file${number}`;
      await Deno.writeTextFile(`${tree.path}/a/${name}`, "ours");
      // Outside it is the same file, so that only the way there keeps it from being taken apart.
      await Deno.link(`${tree.path}/a/${name}`, `${base}/outside/${name}`);
      files.push({ name, facts: look(`a/${name}`) });
    }
    const args = ["-c", EXCHANGING, tree.path];
    const loop = new Deno.Command("python3", { args, stdout: "piped", stderr: "inherit" }).spawn();
    const begun = loop.stdout.getReader();
    let separated = 0;
    try {
      await begun.read();
      const end = performance.now() + 300_000;
      while (separated === 0 && performance.now() < end) {
        for (const { name, facts } of files) {
          const file = { path: `${tree.path}/a/${name}`, wanted: facts, tree };
          for (let tries = 0; tries < 20; tries++) if (separator.separate(file).change === "separated") separated++;
        }
      }
    } finally {
      loop.kill("SIGKILL");
      await begun.cancel();
      await loop.status;
    }
    assert.ok(separated > 0 && separated <= files.length, `${separated} of ${files.length} met the directory`);
    assert.deepStrictEqual(new Set(await namesIn(`${base}/outside`)), new Set(files.map(({ name }) => name)));
    for (const { name, facts: { inode } } of files) {
      assert.deepStrictEqual(BigInt((await Deno.lstat(`${base}/outside/${name}`)).ino ?? 0), inode);
    }
  }));

/** Puts a file of its own over each name that appears next to `config`, and says so when it has begun and met one. */
const REPLACING = `
import os, sys
os.chdir(sys.argv[1])
print("begun", flush=True)
met = False
while True:
  open("evil", "w").write("evil")
  names = []
  while not names: names = [name for name in os.listdir(".") if name not in ("config", "evil")]
  try:
    os.rename("evil", names[-1])
    if not met: met = True; print("met", flush=True)
  except OSError: pass
`;

Deno.test("S21 Separator.separate() puts nothing but its copy in the place, whatever takes its other names", () =>
  inTree(async ({ tree, look }) => {
    using separator = new Separator();
    const directory = `${tree.path}/a`;
    const path = `${directory}/config`;
    const ours = "ours".repeat(250_000);
    const args = ["-c", REPLACING, directory];
    const loop = new Deno.Command("python3", { args, stdout: "piped", stderr: "inherit" }).spawn();
    const seen = new Set<string>();
    const begun = Promise.withResolvers<void>();
    let words = "";
    const hearing = (async () => {
      for await (const text of loop.stdout.pipeThrough(new TextDecoderStream())) {
        words += text;
        begun.resolve();
      }
    })();
    try {
      await begun.promise;
      // To meet one of its names once is needed, more is chance.
      for (let number = 0; number < 4 || !words.includes("met") && number < 300; number++) {
        await Deno.remove(path);
        await Deno.writeTextFile(path, ours);
        await Deno.link(path, `${tree.path}/second${number}`);
        separator.separate({ path, wanted: look("a/config"), tree });
        seen.add((await Deno.readTextFile(path)).slice(0, 4));
        for (const name of await namesIn(directory)) {
          if (name !== "config" && name !== "evil") await Deno.remove(`${directory}/${name}`).catch(() => {});
        }
      }
    } finally {
      loop.kill("SIGKILL");
      await hearing;
      await loop.status;
    }
    assert.deepStrictEqual({ words, seen }, { words: "begun\nmet\n", seen: new Set(["ours"]) });
  }));

/** In each directory it is told, saves its own version as editors do, as soon as the server holds git's lock. */
const SAVING = `
import os, sys
for directory in sys.stdin:
  os.chdir(directory.strip())
  open("mine", "w").write("mine")
  os.write(1, b"b")
  while not os.path.exists("config.lock"): pass
  os.rename("mine", "config")
  os.write(1, b"s")
`;

Deno.test("S21 Separator.separate() loses nothing that another program saves meanwhile", () =>
  inTree(async ({ base, tree, look }) => {
    using separator = new Separator();
    const saving = new Deno.Command("python3", { args: ["-c", SAVING], stdin: "piped", stdout: "piped" }).spawn();
    const told = saving.stdin.getWriter();
    const said = saving.stdout.getReader();
    try {
      for (let number = 0; number < 8; number++) {
        const directory = `${base}/tree/round${number}`;
        const path = `${directory}/config`;
        await Deno.mkdir(directory);
        await Deno.writeTextFile(path, "ours".repeat(100_000));
        await Deno.link(path, `${directory}.second`);
        await told.write(encodeText(`${directory}\n`));
        await said.read();
        separator.separate({ path, wanted: look(`round${number}/config`), tree });
        await Deno.writeTextFile(`${directory}/config.lock`, ""); // where the other program came too late
        await said.read();
        await Deno.remove(`${directory}/config.lock`);
        const names = await namesIn(directory);
        const texts = await Promise.all(
          names.map(async (name) => (await Deno.readTextFile(`${directory}/${name}`)).slice(0, 4)),
        );
        assert.ok(texts.includes("mine"), `${names}: ${texts}`);
      }
    } finally {
      saving.kill("SIGKILL");
      await told.close().catch(() => {});
      await said.cancel();
      await saving.status;
    }
  }));

Deno.test("S21 Separator.separate() gives the state of its copy where no program may have changed the file", () =>
  inTree(async ({ tree, look }) => {
    using separator = new Separator();
    const path = `${tree.path}/a/config`;
    const separate = async (meanwhile: (wanted: FileFacts) => Promise<FileFacts>) => {
      await Deno.link(path, `${tree.path}/${crypto.randomUUID()}`);
      const { change, copy } = separator.separate({ path, wanted: await meanwhile(look("a/config")), tree });
      assert.deepStrictEqual(change, "separated");
      return copy === undefined ? undefined : fingerprintOf(copy) === fingerprintOf(look("a/config"));
    };
    // A program that another thread starts has a copy of every open file until it executes, and may write so long.
    const known = async (meanwhile: Parameters<typeof separate>[0]) => {
      for (let left = 100; left > 0; left--) {
        const state = await separate(meanwhile);
        if (state !== undefined) return state;
      }
      return undefined;
    };
    assert.ok(await known((wanted) => Promise.resolve(wanted)));
    const written = await separate(async (wanted) => {
      await Deno.writeTextFile(path, "evil");
      return wanted;
    });
    assert.deepStrictEqual(written, undefined, "it was written after it was seen");
    const named = await known(async () => {
      await new Deno.Command("python3", { args: ["-c", `import os; os.setxattr("${path}", "user.note", b"x")`] })
        .output();
      return look("a/config");
    });
    assert.ok(named, "attributes that were there are copied");
    using open = await Deno.open(path, { write: true });
    assert.deepStrictEqual(await separate((wanted) => Promise.resolve(wanted)), undefined, "it can still be written");
    await open.write(new Uint8Array(1));
  }));

/** Writes the copy as soon as it stands in the place, says so, and waits until the next file has a second name. */
const WRITING = `
import os, sys
os.chdir(sys.argv[1])
os.write(1, b"b")
while True:
  try:
    shared = os.stat("../second").st_ino
    if os.stat("config").st_ino == shared: continue
    fd = os.open("config", os.O_WRONLY | os.O_NONBLOCK)
    os.pwrite(fd, b"evil", 0)
    os.close(fd)
    os.unlink("../second")
    os.write(1, b"w")
  except OSError: pass
`;

Deno.test("S21 Separator.separate() gives no state of a copy that a program wrote before", () =>
  inTree(async ({ tree, look }) => {
    using separator = new Separator();
    const path = `${tree.path}/a/config`;
    await Deno.remove(path);
    const args = ["-c", WRITING, `${tree.path}/a`];
    const loop = new Deno.Command("python3", { args, stdout: "piped", stderr: "inherit" }).spawn();
    const said = loop.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const silent: string[] = [];
    try {
      await said.read();
      for (let number = 0; number < 70; number++) {
        await Deno.writeTextFile(`${tree.path}/new`, "ours");
        await Deno.rename(`${tree.path}/new`, path);
        await Deno.link(path, `${tree.path}/second`);
        const { copy } = separator.separate({ path, wanted: look("a/config"), tree });
        await said.read();
        assert.deepStrictEqual(await Deno.readTextFile(path), "evil");
        if (copy !== undefined && fingerprintOf(copy) === fingerprintOf(look("a/config"))) silent.push(`${number}`);
      }
    } finally {
      loop.kill("SIGKILL");
      await said.cancel();
      await loop.status;
    }
    assert.deepStrictEqual(silent, []);
  }));
