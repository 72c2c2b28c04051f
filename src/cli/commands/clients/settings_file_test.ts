import assert from "node:assert/strict";
import { UserError } from "../../../base/errors.ts";
import { SettingsProcess } from "./_support/settings_process.ts";
import type { SettingsFile } from "./settings_file.ts";

interface Place {
  readonly project: string;
  readonly home: string;
  readonly outside: string;
  file(name: string): Pick<SettingsFile, "read" | "write">;
}

async function inPlace(test: (place: Place) => Promise<void>): Promise<void> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const [project, home, outside] = [`${base}/project`, `${base}/home`, `${base}/outside`];
  await using settings = new SettingsProcess();
  try {
    for (const directory of [project, home, outside]) await Deno.mkdir(directory);
    await test({ project, home, outside, file: (name) => settings.file(name, { project, home }) });
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

async function whyNot(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
  } catch (thrown) {
    assert.ok(thrown instanceof UserError);
    return thrown.message.replaceAll(/"[^"]*\/(?=[^/"]*")/g, '"');
  }
  return "done";
}

Deno.test("D5 SettingsFile makes directories, keeps the mode, and leaves nothing else behind", () =>
  inPlace(async ({ project, home, file }) => {
    await file(".a/b/c.json").write(undefined, "one");
    assert.deepStrictEqual(await Deno.readTextFile(`${project}/.a/b/c.json`), "one");
    await file("~/.x/y.json").write(undefined, "two");
    assert.deepStrictEqual(((await Deno.stat(`${home}/.x/y.json`)).mode ?? 0) & 0o777, 0o600);
    await Deno.chmod(`${home}/.x/y.json`, 0o640);
    await file("~/.x/y.json").write("two", "three");
    assert.deepStrictEqual(((await Deno.stat(`${home}/.x/y.json`)).mode ?? 0) & 0o777, 0o640);
    assert.deepStrictEqual(await file("~/.x/y.json").read(), "three");
    assert.deepStrictEqual((await Array.fromAsync(Deno.readDir(`${home}/.x`))).map(({ name }) => name), ["y.json"]);
    await file("~/.x/y.json").write("three", undefined);
    assert.deepStrictEqual(await Array.fromAsync(Deno.readDir(`${home}/.x`)), []);
    assert.deepStrictEqual(await file("no/such/file").read(), undefined);
  }));

Deno.test("D5 SettingsFile refuses what changed since it was read, what is not text, and links of a project", () =>
  inPlace(async ({ project, outside, file }) => {
    await Deno.writeTextFile(`${outside}/secret`, "{}");
    await Deno.symlink(outside, `${project}/.vscode`);
    await Deno.symlink(`${outside}/secret`, `${project}/.mcp.json`);
    await Deno.writeTextFile(`${project}/changed`, "new");
    await Deno.writeFile(`${project}/bytes`, new Uint8Array([0xff]));
    await Deno.writeTextFile(`${project}/file`, "");
    await Deno.writeTextFile(`${project}/kept`, "kept", { mode: 0o444 });
    await new Deno.Command("mkfifo", { args: [`${project}/pipe`] }).output();
    const said = [
      await whyNot(() => file(".vscode/mcp.json").read()),
      await whyNot(() => file(".vscode/mcp.json").write(undefined, "x")),
      await whyNot(() => file(".mcp.json").read()),
      await whyNot(() => file(".mcp.json").write("{}", "x")),
      await whyNot(() => file("changed").write("old", "x")),
      (await whyNot(() => file("bytes").read())).replace(/: .*/, ""),
      (await whyNot(() => file("file/x").read())).replace(/: .*/, ""),
      await whyNot(() => file("kept").write("kept", "x")),
      await whyNot(() => file("pipe").read()),
    ];
    const link = '".vscode" is a link, which may lead out of the project. Remove it, or write the file by hand';
    const own = '".mcp.json" is a link, which may lead out of the project. Remove it';
    assert.deepStrictEqual(said, [
      link,
      link,
      own,
      own,
      '"changed" was changed by another program. Run the command again',
      'Cannot read "bytes"',
      'Cannot enter "file"',
      '"kept" is read-only',
      '"pipe" is not a regular file. Remove it',
    ]);
    assert.deepStrictEqual(await Deno.readTextFile(`${outside}/secret`), "{}");
    assert.deepStrictEqual((await Array.fromAsync(Deno.readDir(outside))).length, 1);
  }));

Deno.test("D5 SettingsFile follows links in home, which are the user's, and keeps them", () =>
  inPlace(async ({ home, outside, file }) => {
    await Deno.writeTextFile(`${outside}/config.toml`, "old");
    await Deno.mkdir(`${home}/.codex`);
    await Deno.symlink(`${outside}/config.toml`, `${home}/.codex/config.toml`);
    await file("~/.codex/config.toml").write("old", "new");
    assert.deepStrictEqual(await Deno.readTextFile(`${outside}/config.toml`), "new");
    assert.ok((await Deno.lstat(`${home}/.codex/config.toml`)).isSymlink);
  }));

/** Exchanges the directory for a link that leads outside and back, as fast as it can, and says so when it has begun. */
const EXCHANGING = `
import ctypes, os, sys
os.chdir(sys.argv[1])
os.symlink("../outside", "link")
libc, here, exchange = ctypes.CDLL(None), -100, 2
print("begun", flush=True)
while True: libc.renameat2(here, b"a", here, b"link", exchange)
`;

Deno.test("D5 SettingsFile writes nothing outside while a command exchanges the directory", () =>
  inPlace(async ({ project, outside, file }) => {
    await Deno.mkdir(`${project}/a`);
    const args = ["-c", EXCHANGING, project];
    const loop = new Deno.Command("python3", { args, stdout: "piped", stderr: "inherit" }).spawn();
    const said = loop.stdout.getReader();
    const seen: Record<string, number> = {};
    try {
      await said.read();
      const end = performance.now() + 300_000;
      for (let tries = 0; tries < 100 || (seen["done"] ?? 0) === 0 && performance.now() < end; tries++) {
        const what = (await whyNot(() => file(`a/settings${tries}.json`).write(undefined, "x"))).replace(/: .*/, "");
        seen[what] = (seen[what] ?? 0) + 1;
      }
    } finally {
      loop.kill("SIGKILL");
      await said.cancel();
      await loop.status;
    }
    assert.ok((seen["done"] ?? 0) > 0, JSON.stringify(seen));
    assert.deepStrictEqual(await Array.fromAsync(Deno.readDir(outside)), []);
  }));

/** Puts a file of its own over each new name next to the settings, as fast as it can. */
const REPLACING = `
import os, sys
os.chdir(sys.argv[1])
print("begun", flush=True)
while True:
  open("evil", "w").write("evil")
  names = []
  while not names: names = [name for name in os.listdir(".") if name.startswith("settings.")]
  try: os.rename("evil", names[-1])
  except OSError: pass
`;

Deno.test("D5 SettingsFile never says that it wrote what another program put in the place", () =>
  inPlace(async ({ project, file }) => {
    const loop = new Deno.Command("python3", { args: ["-c", REPLACING, project], stdout: "piped", stderr: "inherit" })
      .spawn();
    const said = loop.stdout.getReader();
    const seen = new Set<string>();
    try {
      await said.read();
      const end = performance.now() + 300_000;
      for (let tries = 0; seen.size < 2 && performance.now() < end || tries < 6; tries++) {
        const text = "x".repeat(tries % 2 === 0 ? 10 : 1_000_000);
        await Deno.remove(`${project}/settings`).catch(() => {});
        const what = await whyNot(() => file("settings").write(undefined, text));
        seen.add(what);
        if (what === "done") assert.strictEqual(await Deno.readTextFile(`${project}/settings`), text);
      }
    } finally {
      loop.kill("SIGKILL");
      await said.cancel();
      await loop.status;
    }
    const met =
      'Another program changed "settings" while it was written: check it before a client starts, and run this again';
    assert.deepStrictEqual([seen.has(met), [...seen].filter((what) => what !== "done" && what !== met)], [true, []]);
  }));
