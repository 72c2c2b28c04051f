import assert from "node:assert/strict";
import { UserError } from "../../../base/errors.ts";
import { SettingsFile } from "./settings_file.ts";

interface Place {
  readonly project: string;
  readonly home: string;
  readonly outside: string;
  file(name: string): SettingsFile;
}

async function inPlace(test: (place: Place) => void | Promise<void>): Promise<void> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const [project, home, outside] = [`${base}/project`, `${base}/home`, `${base}/outside`];
  try {
    for (const directory of [project, home, outside]) await Deno.mkdir(directory);
    await test({ project, home, outside, file: (name) => new SettingsFile(name, { project, home }) });
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

function whyNot(act: () => unknown): string {
  try {
    act();
  } catch (thrown) {
    assert.ok(thrown instanceof UserError);
    return thrown.message.replaceAll(/"[^"]*\/(?=[^/"]*")/g, '"');
  }
  return "done";
}

Deno.test("D5 SettingsFile makes directories, keeps the mode, and leaves nothing else behind", () =>
  inPlace(({ project, home, file }) => {
    file(".a/b/c.json").write(undefined, "one");
    assert.deepStrictEqual(Deno.readTextFileSync(`${project}/.a/b/c.json`), "one");
    file("~/.x/y.json").write(undefined, "two");
    assert.deepStrictEqual((Deno.statSync(`${home}/.x/y.json`).mode ?? 0) & 0o777, 0o600);
    Deno.chmodSync(`${home}/.x/y.json`, 0o640);
    file("~/.x/y.json").write("two", "three");
    assert.deepStrictEqual((Deno.statSync(`${home}/.x/y.json`).mode ?? 0) & 0o777, 0o640);
    assert.deepStrictEqual(file("~/.x/y.json").read(), "three");
    assert.deepStrictEqual([...Deno.readDirSync(`${home}/.x`)].map(({ name }) => name), ["y.json"]);
    file("~/.x/y.json").write("three", undefined);
    assert.deepStrictEqual([...Deno.readDirSync(`${home}/.x`)], []);
    assert.deepStrictEqual(file("no/such/file").read(), undefined);
  }));

Deno.test("D5 SettingsFile refuses what changed since it was read, what is no text, and links of a project", () =>
  inPlace(({ project, outside, file }) => {
    Deno.writeTextFileSync(`${outside}/secret`, "{}");
    Deno.symlinkSync(outside, `${project}/.vscode`);
    Deno.symlinkSync(`${outside}/secret`, `${project}/.mcp.json`);
    Deno.writeTextFileSync(`${project}/changed`, "new");
    Deno.writeFileSync(`${project}/bytes`, new Uint8Array([0xff]));
    Deno.writeTextFileSync(`${project}/file`, "");
    const said = [
      whyNot(() => file(".vscode/mcp.json").read()),
      whyNot(() => file(".vscode/mcp.json").write(undefined, "x")),
      whyNot(() => file(".mcp.json").read()),
      whyNot(() => file(".mcp.json").write("{}", "x")),
      whyNot(() => file("changed").write("old", "x")),
      whyNot(() => file("bytes").read()).replace(/: .*/, ""),
      whyNot(() => file("file/x").read()).replace(/: .*/, ""),
    ];
    const link = '".vscode" is a link, which may lead out of the project. Remove it, or write the file by hand';
    const own = '".mcp.json" is no file of its own, and a link may lead out of the project. Remove it';
    assert.deepStrictEqual(said, [
      link,
      link,
      own,
      own,
      '"changed" was changed meanwhile. Run it again',
      'Cannot read "bytes"',
      'Cannot enter "file"',
    ]);
    assert.deepStrictEqual(Deno.readTextFileSync(`${outside}/secret`), "{}");
    assert.deepStrictEqual([...Deno.readDirSync(outside)].length, 1);
  }));

Deno.test("D5 SettingsFile follows links in home, which are the user's, and keeps them", () =>
  inPlace(({ home, outside, file }) => {
    Deno.writeTextFileSync(`${outside}/config.toml`, "old");
    Deno.mkdirSync(`${home}/.codex`);
    Deno.symlinkSync(`${outside}/config.toml`, `${home}/.codex/config.toml`);
    file("~/.codex/config.toml").write("old", "new");
    assert.deepStrictEqual(Deno.readTextFileSync(`${outside}/config.toml`), "new");
    assert.ok(Deno.lstatSync(`${home}/.codex/config.toml`).isSymlink);
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
      const end = performance.now() + 20_000;
      for (let tries = 0; tries < 300 || (seen["done"] ?? 0) === 0 && performance.now() < end; tries++) {
        const what = whyNot(() => file(`a/settings${tries}.json`).write(undefined, "x")).replace(/: .*/, "");
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
