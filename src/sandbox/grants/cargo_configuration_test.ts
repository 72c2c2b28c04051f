import assert from "node:assert/strict";
import { Libc } from "../../system/libc.ts";
import { cleanCargoConfiguration, copyCargoConfiguration } from "./cargo_configuration.ts";

const TEXT = `registries.a.token = "s3cret"
[source.crates-io]
replace-with = "mirror"
[source.mirror]
registry = "sparse+https://mirror.invalid/"
[registries]
corp = { index = "https://corp.invalid", token = "s3cret" }
[registries.corp2] # ours
index = "https://corp.invalid"
token = "s3cret"
[env]
API = "s3cret"
[build]
rustc-wrapper = "evil"
[http]
proxy = "http://u:s3cret@proxy.invalid"
timeout = 5
[[target.x.y]]
linker = "lld"
`;

const COPY = `[source.crates-io]
replace-with = "mirror"
[source.mirror]
registry = "sparse+https://mirror.invalid/"
[registries]
[registries.corp2] # ours
index = "https://corp.invalid"
[http]
timeout = 5
[[target.x.y]]
linker = "lld"

`;

Deno.test("S25 cleanCargoConfiguration() keeps mirrors and registries, and no secret", () => {
  assert.deepStrictEqual(cleanCargoConfiguration(TEXT), COPY);
});

Deno.test("S25 cleanCargoConfiguration() keeps no secret that stands in several lines, or without a scheme", () => {
  for (
    const lines of [
      'proxy = "user:s3cret@proxy.invalid:8080"',
      'credential-provider = [\n "x",\n "s3cret"\n]',
      'proxy = "a"\n# u:s3cret@p',
    ]
  ) {
    const copy = cleanCargoConfiguration(`[http]\n${lines}\ntimeout = 5\n`);
    assert.ok(copy.endsWith("timeout = 5\n\n") && !copy.includes("s3cret"), copy);
  }
  assert.deepStrictEqual(cleanCargoConfiguration('[http]\nuser-agent = """\ns3cret\n"""\n'), "");
  assert.deepStrictEqual(
    cleanCargoConfiguration('[target.x]\nrustflags = [\n "-C",\n]\n'),
    '[target.x]\nrustflags = [\n "-C",\n]\n\n',
  );
});

Deno.test("S25 copyCargoConfiguration() writes the copy through no link that a command left", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const libc = new Libc();
  try {
    for (const name of ["home/.cargo", "cache", "outside"]) await Deno.mkdir(`${base}/${name}`, { recursive: true });
    await Deno.writeTextFile(`${base}/home/.cargo/config.toml`, TEXT);
    await Deno.writeTextFile(`${base}/outside/config.toml`, "theirs");
    const identity = libc.identityOf(`${base}/cache`);
    assert.ok(identity !== undefined);
    const question = {
      home: `${base}/home`,
      cache: { path: `${base}/cache`, ...identity },
      processor: "x86_64",
    } as const;
    await Deno.symlink(`${base}/outside`, `${base}/cache/cargo`);
    copyCargoConfiguration(question);
    assert.deepStrictEqual(await Deno.readTextFile(`${base}/outside/config.toml`), "theirs");
    await Deno.remove(`${base}/cache/cargo`);
    await Deno.mkdir(`${base}/cache/cargo`);
    await Deno.symlink(`${base}/outside/config.toml`, `${base}/cache/cargo/config.toml`);
    copyCargoConfiguration(question);
    assert.deepStrictEqual(await Deno.readTextFile(`${base}/cache/cargo/config.toml`), COPY);
    assert.deepStrictEqual(await Deno.readTextFile(`${base}/outside/config.toml`), "theirs");
  } finally {
    libc[Symbol.dispose]();
    await Deno.remove(base, { recursive: true });
  }
});
