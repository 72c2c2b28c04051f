import assert from "node:assert/strict";
import { SILENT } from "../../../base/log.ts";
import { expected } from "../../../system/paths.ts";
import { LoginFiles } from "./login_files.ts";
import type { StoredLogin } from "./stored_login.ts";

const LOGIN: StoredLogin = {
  version: 1,
  serverUrl: "https://mcp.example/mcp",
  issuer: "https://auth.example",
  client: { clientId: "a", redirectUri: "http://localhost:8080/callback", how: "registered" },
  server: {
    url: "https://auth.example",
    authorizationEndpoint: "https://a.example/x",
    tokenEndpoint: "https://a.example/t",
  },
  tokens: { accessToken: "secret", obtainedAt: 1 },
};
const PRIVATE = /(?:no other user can|of yours)/;

async function withFiles(
  act: (files: LoginFiles, directory: string, warned: string[]) => Promise<void>,
): Promise<void> {
  const place = await Deno.makeTempDir();
  const warned: string[] = [];
  try {
    const log = { ...SILENT, warn: (message: string) => void warned.push(message) };
    await act(new LoginFiles(`${place}/state/oauth`, log), `${place}/state/oauth`, warned);
  } finally {
    await Deno.remove(place, { recursive: true });
  }
}

async function names(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort();
}

Deno.test("O4 LoginFiles keeps a private file for each server, and forgets it", () =>
  withFiles(async (files, directory) => {
    assert.deepStrictEqual([await files.read(LOGIN.serverUrl), await files.list()], [undefined, []]);
    await files.write(LOGIN);
    const other = { ...LOGIN, serverUrl: "https://mcp.example/other" };
    await files.write(other);
    const [name = "", ...rest] = await names(directory);
    assert.match(name, /^mcp\.example-[0-9a-f]{12}\.json$/);
    const mode = (path: string) => (Deno.lstatSync(path).mode ?? 0) & 0o777;
    assert.deepStrictEqual([rest.length, mode(directory), mode(`${directory}/${name}`)], [1, 0o700, 0o600]);
    assert.deepStrictEqual((await files.read(LOGIN.serverUrl))?.login, LOGIN);
    assert.deepStrictEqual(await files.list(), [LOGIN, other]);
    assert.deepStrictEqual([await files.remove(LOGIN.serverUrl), await files.remove(LOGIN.serverUrl)], [true, false]);
    assert.deepStrictEqual(await files.list(), [other]);
  }));

Deno.test("O4 LoginFiles refuses what another user could read or have made", () =>
  withFiles(async (files, directory) => {
    await files.write(LOGIN);
    const [name = ""] = await names(directory);
    await Deno.chmod(`${directory}/${name}`, 0o640);
    await assert.rejects(files.read(LOGIN.serverUrl), PRIVATE);
    await Deno.chmod(`${directory}/${name}`, 0o600);
    await Deno.chmod(directory, 0o750);
    await assert.rejects(files.read(LOGIN.serverUrl), PRIVATE);
    await assert.rejects(files.write(LOGIN), PRIVATE);
    await Deno.chmod(directory, 0o700);
    await Deno.rename(directory, `${directory}-real`);
    await Deno.symlink(`${directory}-real`, directory);
    await assert.rejects(files.list(), PRIVATE);
  }));

Deno.test("O4 LoginFiles sets a damaged file aside, and tells nothing of what it holds", () =>
  withFiles(async (files, directory, warned) => {
    for (const text of ['{"version": 1, "tokens": "my-secret"}', "my-secret", '{"version": 2}']) {
      await files.write(LOGIN);
      const name = (await names(directory)).find((one) => one.endsWith(".json")) ?? "";
      await Deno.writeTextFile(`${directory}/${name}`, text);
      assert.strictEqual(await files.read(LOGIN.serverUrl), undefined);
      assert.strictEqual(await Deno.readTextFile(`${directory}/${name}.damaged`), text);
    }
    assert.strictEqual(warned.length, 3);
    assert.deepStrictEqual(warned.filter((text) => text.includes("secret")), []);
  }));

Deno.test("O4 a lock is held by one at a time, and a late one is freed", () =>
  withFiles(async (files, directory) => {
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const first = files.underLock(LOGIN.serverUrl, 120_000, () => {
      begun.resolve();
      return held.promise;
    });
    await begun.promise;
    const never = () => assert.fail("another holds the lock");
    assert.strictEqual(await files.underLock(LOGIN.serverUrl, 1, never), undefined);
    held.resolve();
    await first;
    // The late one has it before or after this one.
    do {
      const again = await files.underLock(LOGIN.serverUrl, 120_000, () => Promise.resolve("done"));
      assert.deepStrictEqual(again, { value: "done" });
    } while (openFiles().some((path) => path.startsWith(directory)));
  }));

/** Paths of the files that this process has open. */
function openFiles(): readonly string[] {
  return [...Deno.readDirSync("/proc/self/fd")].map(({ name }) => {
    return expected(() => Deno.readLinkSync(`/proc/self/fd/${name}`)) ?? "";
  });
}
