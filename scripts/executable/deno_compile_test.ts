import assert from "node:assert/strict";
import { compileWithDeno } from "./deno_compile.ts";
import { denortPin, PINS_FILE, sha256 } from "./pins.ts";

/** The same on a machine without a network and with one: nothing is reached. */
const OFFLINE = { HTTPS_PROXY: "http://127.0.0.1:9", PATH: "/usr/bin:/bin" };
const { version, triple } = denortPin("linux-x64");
/** Deno only appends to it, so that a small program will do. */
const RUNTIME = "/bin/true";

interface Place extends AsyncDisposable {
  readonly directory: string;
  /** Where deno keeps denort. */
  readonly archive: string;
  compile(options?: { readonly record?: boolean; readonly environment?: Record<string, string> }): Promise<void>;
  written(): Promise<readonly string[]>;
}

async function place(): Promise<Place> {
  const directory = await Deno.makeTempDir();
  await Deno.writeTextFile(`${directory}/program.mjs`, 'console.log("ran");\n');
  await Deno.copyFile(PINS_FILE, `${directory}/pins.json`);
  return {
    directory,
    archive: `${directory}/deno/dl/release/v${version}/denort-${triple}.zip`,
    compile: ({ record = false, environment = {} } = {}) =>
      compileWithDeno("linux-x64", {
        program: `${directory}/program.mjs`,
        parts: [],
        output: `${directory}/out/program`,
        environment: { ...OFFLINE, DENO_DIR: `${directory}/deno`, ...environment },
        record,
        pins: new URL(`file://${directory}/pins.json`),
      }),
    async written() {
      try {
        return (await Array.fromAsync(Deno.readDir(`${directory}/out`))).map(({ name }) => name);
      } catch (thrown) {
        if (thrown instanceof Deno.errors.NotFound) return [];
        throw thrown;
      }
    },
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

Deno.test("D1 deno compile without denort names the ways out, and writes nothing", async () => {
  await using here = await place();
  await assert.rejects(here.compile(), ({ message }: Error) => {
    const [first = "", ...ways] = message.split("\n");
    assert.match(first, /^Cannot get denort, which deno compile needs \(.+\)\. Ways out:$/);
    assert.deepStrictEqual(ways, [
      `- set DENORT_BIN to a denort ${version} for ${triple}`,
      `- put its archive at "${here.archive}"`,
      "- leave out --with deno-compile: the embedded way needs no denort",
    ]);
    return true;
  });
  assert.deepStrictEqual(await here.written(), []);
});

Deno.test("D1 a denort whose sum is not pinned is refused before it is used, and --record pins it", async () => {
  await using here = await place();
  const bytes = new TextEncoder().encode("planted");
  await Deno.mkdir(here.archive.slice(0, here.archive.lastIndexOf("/")), { recursive: true });
  await Deno.writeFile(here.archive, bytes);
  const sum = await sha256(bytes);
  await assert.rejects(
    here.compile(),
    new Error(
      `"${here.archive}" has the SHA-256 ${sum}; none is pinned for linux-x64. Remove the file, or pin its sum with ` +
        "--record when you know where it comes from",
    ),
  );
  assert.deepStrictEqual(await here.written(), []);
  await assert.rejects(here.compile({ record: true }), /^Error: Deno did not compile it: /); // it is no archive
  const { targets } = JSON.parse(await Deno.readTextFile(`${here.directory}/pins.json`));
  assert.deepStrictEqual(targets["linux-x64"].denort, [sum]);
});

Deno.test("D1 deno compile puts the program behind the denort that DENORT_BIN names, without a cache of code", async () => {
  await using here = await place();
  await here.compile({ record: true, environment: { DENORT_BIN: RUNTIME } });
  assert.deepStrictEqual(await here.written(), ["program"]);
  const bytes = await Deno.readFile(`${here.directory}/out/program`);
  // What deno hands to the program at its start, as JSON behind the runtime.
  const options = new TextDecoder("latin1").decode(bytes.slice((await Deno.stat(RUNTIME)).size));
  const option = (name: string) => new RegExp(`"${name}":(\\w+|\\[[^\\]]*\\])`).exec(options)?.[1];
  assert.deepStrictEqual(
    ["code_cache_key", "allow_read", "allow_net"].map(option),
    ["null", "[]", "[]"],
  );
});
