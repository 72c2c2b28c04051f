import assert from "node:assert/strict";
import { DeniedError } from "../project/protection.ts";
import { Project } from "../project/project.ts";
import { type Change, changeFile } from "./change_file.ts";

const TEXT = new TextEncoder();

interface Place {
  readonly root: string;
  readonly project: Project;
}

async function inProject(test: (place: Place) => Promise<void>): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const path = { fileOnly: false, writable: ["notes"], flags: [] };
  try {
    const protection = { paths: [{ ...path, path: `${root}/kept` }], open: [`${root}/mine`] };
    using project = new Project({ scopes: [root], readable: [], writable: [], protection });
    await test({ root: project.directory, project });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** Gives the file this content, and the answer. */
async function stored({ project }: Place, path: string, content: string): Promise<string> {
  const change: Change = { content: TEXT.encode(content), summary: "s", diff: "" };
  const context = { project, signal: new AbortController().signal };
  const { content: [part] } = await changeFile(context, { path }, () => change);
  return part?.type === "text" ? part.text.replace(/, rev \w+/, "") : "";
}

async function python(line: string): Promise<string> {
  const { stdout } = await new Deno.Command("python3", { args: ["-c", `import os; ${line}`] }).output();
  return new TextDecoder().decode(stdout).trim();
}

Deno.test("K3 a replaced file keeps mode, attributes and owner, and is another inode of one name", () =>
  inProject(async (place) => {
    const file = `${place.root}/a`;
    await Deno.writeTextFile(file, "old");
    await python(`os.setxattr("${file}", "user.note", b"kept"); os.chmod("${file}", 0o640)`);
    if (Deno.uid() === 0) await Deno.chown(file, 1, 2);
    const before = await Deno.stat(file);
    assert.equal(await stored(place, "a", "new"), "a: s");
    const after = await Deno.stat(file);
    const kept = ({ mode, uid, gid, nlink }: Deno.FileInfo) => ({ mode, uid, gid, nlink });
    assert.deepEqual(kept(after), kept(before));
    assert.notEqual(after.ino, before.ino);
    assert.equal(await python(`print(os.getxattr("${file}", "user.note").decode())`), "kept");
    assert.equal(await Deno.readTextFile(file), "new");
    assert.deepEqual((await Array.fromAsync(Deno.readDir(place.root))).map(({ name }) => name), ["a"]);
  }));

Deno.test({
  name:
    "K3 a file in a directory that cannot be changed is rewritten in place (ignored: root can change every directory)",
  ignore: Deno.uid() === 0,
  fn: () =>
    inProject(async (place) => {
      await Deno.mkdir(`${place.root}/d`);
      await Deno.writeTextFile(`${place.root}/d/a`, "a longer one");
      await Deno.chmod(`${place.root}/d`, 0o555);
      assert.equal(
        await stored(place, "d/a", "new"),
        "d/a: s, rewritten in place because its directory cannot be changed",
      );
      assert.equal(await Deno.readTextFile(`${place.root}/d/a`), "new");
      await assert.rejects(
        stored(place, "d/b", "new"),
        /Cannot write "d\/b": its permissions, or those of its directory/,
      );
      await Deno.chmod(`${place.root}/d`, 0o755);
    }),
});

Deno.test("K3 what a killed write left is removed by a later one in its directory, and nothing else", () =>
  inProject(async (place) => {
    const draft = () => `.ahma-${crypto.randomUUID()}`;
    const [left, young] = [draft(), draft()];
    const others = [young, ".ahma-notes", ".ahma-12345678"];
    for (const name of [left, ...others]) {
      await Deno.writeTextFile(`${place.root}/${name}`, "x");
      if (name !== young) await Deno.utime(`${place.root}/${name}`, 1, 1);
    }
    await stored(place, "a", "new");
    const names = (await Array.fromAsync(Deno.readDir(place.root))).map(({ name }) => name);
    assert.deepEqual(names.toSorted(), ["a", ...others].toSorted());
  }));

Deno.test("K3 what is no file is refused at once, and another program that holds a lock is waited for", () =>
  inProject(async (place) => {
    await python(`os.mkfifo("${place.root}/pipe")`);
    await assert.rejects(stored(place, "pipe", "x"), /Cannot change "pipe": it is not a regular file/);
    await assert.rejects(stored(place, ".", "x"), /Cannot change "\.": it is a directory/);
    await Deno.writeTextFile(`${place.root}/a`, "");
    await assert.rejects(stored(place, "a/b", "x"), /a directory on the way is a file/);
    const held = await Deno.open(`${place.root}/a`);
    await held.lock();
    const answer = stored(place, "a", "after");
    held.close();
    assert.equal(await answer, "a: s");
  }));

Deno.test("K3 a protected path is refused by each of its names, and what stays writable in it is not", () =>
  inProject(async (place) => {
    const { root } = place;
    for (const name of ["kept/notes", "r/.git", "mine/.git"]) await Deno.mkdir(`${root}/${name}`, { recursive: true });
    await Deno.writeTextFile(`${root}/kept/file`, "old");
    await Deno.link(`${root}/kept/file`, `${root}/second`);
    await Deno.symlink("kept", `${root}/way`);
    for (const path of ["kept/file", "kept/new", "kept/notes", "second", "way/x", "r/.git/config", "r/.git/hooks/x"]) {
      await assert.rejects(stored(place, path, "evil"), DeniedError, path);
    }
    for (const path of ["kept/notes/a", "r/.git/info/exclude", "mine/.git/config"]) {
      assert.equal(await stored(place, path, "x"), `${path}: s`);
    }
    assert.equal(await Deno.readTextFile(`${root}/kept/file`), "old");
  }));
