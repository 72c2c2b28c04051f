import assert from "node:assert/strict";
import { removeTree } from "./remove_tree.ts";

async function inBase(test: (base: string) => Promise<void>): Promise<void> {
  const base = await Deno.makeTempDir();
  try {
    await test(base);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

Deno.test("removeTree() removes files, links and directories that no user may enter, and follows no link", () =>
  inBase(async (base) => {
    await Deno.mkdir(`${base}/outside`);
    await Deno.writeTextFile(`${base}/outside/kept`, "");
    await Deno.mkdir(`${base}/root/a/b/c`, { recursive: true });
    await Deno.writeTextFile(`${base}/root/a/b/file`, "");
    await Deno.symlink(`${base}/outside`, `${base}/root/a/link`);
    await Deno.symlink("nowhere", `${base}/root/dangling`);
    await Deno.chmod(`${base}/root/a/b`, 0);
    await Deno.chmod(`${base}/root/a`, 0o500);
    await removeTree(`${base}/root`);
    assert.deepStrictEqual((await Array.fromAsync(Deno.readDir(base))).map(({ name }) => name), ["outside"]);
    assert.deepStrictEqual((await Array.fromAsync(Deno.readDir(`${base}/outside`))).map(({ name }) => name), ["kept"]);
  }));

Deno.test("removeTree() removes a tree deeper than any path can say", () =>
  inBase(async (base) => {
    const script = `import os\nos.chdir(${JSON.stringify(base)})\nos.mkdir("root"); os.chdir("root")\n` +
      'for _ in range(20):\n  os.mkdir("directory" * 28); os.chdir("directory" * 28)\n';
    assert.ok((await new Deno.Command("python3", { args: ["-c", script] }).output()).success);
    await removeTree(`${base}/root`);
    assert.deepStrictEqual(await Array.fromAsync(Deno.readDir(base)), []);
  }));

Deno.test("removeTree() removes what has a name that is not text, a closed directory too, and follows no such link", () =>
  inBase(async (base) => {
    await Deno.mkdir(`${base}/root/tmp`, { recursive: true });
    await Deno.mkdir(`${base}/outside`);
    await Deno.writeTextFile(`${base}/outside/kept`, "");
    const script = `import os\nos.chdir(${JSON.stringify(base)} + "/root/tmp")\n` +
      'os.makedirs(b"\\xff/\\xfe"); open(b"\\xff/\\xfe/\\xfd", "w"); os.symlink("../../outside", b"\\xfc"); open(b"\\xfb", "w")\n' +
      'os.chmod(b"\\xff/\\xfe", 0); os.chmod(b"\\xff", 0)\n';
    assert.ok((await new Deno.Command("python3", { args: ["-c", script] }).output()).success);
    await removeTree(`${base}/root`);
    assert.deepStrictEqual((await Array.fromAsync(Deno.readDir(base))).map(({ name }) => name), ["outside"]);
    assert.deepStrictEqual((await Array.fromAsync(Deno.readDir(`${base}/outside`))).map(({ name }) => name), ["kept"]);
  }));

Deno.test("removeTree() of nothing does nothing", () => inBase((base) => removeTree(`${base}/none`)));
