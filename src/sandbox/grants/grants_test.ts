import assert from "node:assert/strict";
import { type GrantQuestion, readableGrants } from "./grants.ts";

interface Places {
  readonly base: string;
  /** Paths granted below the base, without it, or why none are. */
  granted(change: Partial<GrantQuestion>): readonly string[] | string;
}

async function inPlaces(test: (places: Places) => Promise<void>): Promise<void> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (const name of ["scope/bin", "home/.ssh", "home/.cargo/bin", "home/.rustup", "files", "certificates"]) {
      await Deno.mkdir(`${base}/${name}`, { recursive: true });
    }
    for (const name of ["home/.ssh/id_rsa", "certificates/ca.pem"]) await Deno.writeTextFile(`${base}/${name}`, "");
    await test({
      base,
      granted(change) {
        const grants = readableGrants({
          serverEnvironment: {},
          home: `${base}/home`,
          workingDirectory: `${base}/scope`,
          reads: [],
          files: `${base}/files`,
          abi: 7,
          sensitive: [`${base}/home/.ssh`],
          strict: false,
          writable: [`${base}/scope`],
          ...change,
        });
        if (!grants.ok) return grants.problem.replaceAll(base, "");
        const own = grants.value.filter(({ path }) => path.startsWith(base)).map(({ path }) => path.slice(base.length));
        return own.filter((path) => path !== "/files");
      },
    });
  } finally {
    await Deno.remove(base, { recursive: true });
  }
}

Deno.test("S4 readableGrants() opens tool chains on the PATH and certificate files", () =>
  inPlaces(({ base, granted }) => {
    const serverEnvironment = { PATH: `${base}/home/.cargo/bin`, SSL_CERT_FILE: `${base}/certificates/ca.pem` };
    assert.deepStrictEqual(granted({ serverEnvironment }), [
      "/home/.cargo/bin",
      "/home/.rustup",
      "/certificates/ca.pem",
    ]);
    return Promise.resolve();
  }));

Deno.test("S4 readableGrants() does not follow links that a command may have planted", () =>
  inPlaces(async ({ base, granted }) => {
    await Deno.symlink(`${base}/home/.ssh/id_rsa`, `${base}/scope/bin/key`);
    await Deno.symlink(`${base}/home/.ssh`, `${base}/scope/other`);
    await Deno.symlink(`${base}/home/.ssh/id_rsa`, `${base}/scope/ca.pem`);
    const serverEnvironment = { PATH: `${base}/scope/bin:${base}/scope/other`, SSL_CERT_FILE: `${base}/scope/ca.pem` };
    assert.deepStrictEqual(granted({ serverEnvironment }), []);
  }));

Deno.test("S4 readableGrants() opens no wide directory and no credentials because a link on the PATH leads there", () =>
  inPlaces(async ({ base, granted }) => {
    await Deno.symlink("/etc/shadow", `${base}/home/.cargo/bin/a`);
    await Deno.symlink(`${base}/home/.ssh/id_rsa`, `${base}/home/.cargo/bin/b`);
    const serverEnvironment = { PATH: `${base}/home/.cargo/bin:/etc:/tmp:${base}/home:${base}/home/.ssh` };
    assert.deepStrictEqual(granted({ serverEnvironment }), ["/home/.cargo/bin", "/home/.rustup"]);
  }));

Deno.test("S4 readableGrants() opens what a person names, unless it holds credentials or can be redirected", () =>
  inPlaces(async ({ base, granted }) => {
    await Deno.symlink(`${base}/certificates`, `${base}/scope/link`);
    assert.deepStrictEqual(granted({ reads: ["../certificates"] }), ["/certificates"]);
    assert.match(String(granted({ reads: ["../none"] })), /^Cannot open "..\/none" to commands: it does not exist/);
    assert.match(String(granted({ reads: ["link"] })), /leads through a directory they can write to/);
    assert.match(String(granted({ reads: [`${base}/home/.ssh`] })), /"\/home\/.ssh" is a place of credentials/);
    assert.deepStrictEqual(granted({ reads: [`${base}/home`] }), ["/home"], "what it holds is hidden, see guard.ts");
  }));

Deno.test("S4 readableGrants() with --strict opens nothing below home but what a person names", () =>
  inPlaces(({ base, granted }) => {
    const serverEnvironment = { PATH: `${base}/home/.cargo/bin`, SSL_CERT_FILE: `${base}/certificates/ca.pem` };
    assert.deepStrictEqual(granted({ serverEnvironment, strict: true }), ["/certificates/ca.pem"]);
    const reads = [`${base}/home/.rustup`];
    assert.deepStrictEqual(granted({ serverEnvironment, reads, strict: true }), [
      "/certificates/ca.pem",
      "/home/.rustup",
    ]);
    return Promise.resolve();
  }));
