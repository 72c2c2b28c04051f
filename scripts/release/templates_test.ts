import assert from "node:assert/strict";
import { exists } from "../../tests/_support/workbench.ts";
import { ASSETS, PROJECT } from "./_support/assets.ts";
import { platformOf } from "./asset.ts";
import { filled, packageFiles } from "./templates.ts";

const CI = Deno.env.get("CI") === "true";
const FILES = await packageFiles({ project: PROJECT, assets: ASSETS, packedSum: "f".repeat(64) });
const DOWNLOADS = `https://github.com/owner/ahma_mcp/releases/download/v${PROJECT.version}`;

function textOf(path: string): string {
  return FILES.find((file) => file.path === path)?.content ?? "";
}

/** The words with the text of a file in a temporary place as the last one; gives what they print. */
async function check(words: readonly string[], path: string): Promise<string> {
  const [command = "", ...args] = words;
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, textOf(path));
    const { success, stdout, stderr } = await new Deno.Command(command, { args: [...args, file] }).output();
    const text = new TextDecoder();
    assert.ok(success, text.decode(stderr));
    return text.decode(stdout);
  } finally {
    await Deno.remove(file);
  }
}

/** The parsers of the files, each of its own tool. */
const PARSERS: readonly (readonly [path: string, ...words: string[]])[] = [
  ["homebrew/ahma_mcp.rb", "/usr/bin/ruby", "-c"],
  ["aur/PKGBUILD", "/bin/bash", "-n"],
  ["nix/package.nix", "/usr/bin/nix-instantiate", "--store", "dummy://", "--parse"],
];

for (const [path, program = "", ...words] of PARSERS) {
  const without = exists(program) ? "" : ` (ignored: ${program} is not installed)`;
  Deno.test({
    name: `D4 packageFiles(): ${path} is read by its own tool${without}`,
    ignore: !exists(program) && !CI,
    fn: async () => {
      await check([program, ...words], path);
    },
  });
}

Deno.test("D4 packageFiles() gives each archive with its own sum, to the right system and processor", async () => {
  const formula = textOf("homebrew/ahma_mcp.rb");
  const found = [...formula.matchAll(/on_(\w+) do\n +url "(.*)"\n +sha256 "(.*)"/g)].map(([, ...rest]) => rest);
  assert.deepStrictEqual(
    found.toSorted(),
    ASSETS.filter(({ target }) => !target.startsWith("windows")).map(({ target, archiveSum }) => [
      platformOf(target).processor === "arm64" ? "arm" : "intel",
      `${DOWNLOADS}/ahma_mcp-${PROJECT.version}-${target}.tar.gz`,
      archiveSum,
    ]).toSorted(),
  );
  assert.strictEqual(formula.match(/on_linux do/g)?.length, 1);
  const show = 'source "$0"; echo $pkgver ${arch[@]}; echo $source_x86_64 $sha256sums_x86_64; echo $source_aarch64 ' +
    "$sha256sums_aarch64";
  const sumOf = (wanted: string) => ASSETS.find(({ target }) => target === wanted)?.archiveSum;
  const archive = (target: string) => `${DOWNLOADS}/ahma_mcp-${PROJECT.version}-${target}.tar.gz ${sumOf(target)}`;
  assert.strictEqual(
    await check(["bash", "-c", show], "aur/PKGBUILD"),
    `${PROJECT.version} x86_64 aarch64\n${archive("linux-x64")}\n${archive("linux-arm64")}\n`,
  );
  assert.ok(textOf("nix/package.nix").includes(`hash = "sha256-${"//".repeat(21)}8=";`), textOf("nix/package.nix"));
});

Deno.test("D4 packageFiles(): the container file knows its instructions only, and leaves root", () => {
  const text = textOf("container/Dockerfile");
  const lines = text.replaceAll(/^#.*\n/gm, "").replaceAll(/\\\n/g, "").trim().split("\n");
  const instructions = lines.map((line) => line.split(" ", 1)[0] ?? "");
  assert.deepStrictEqual([...new Set(instructions)], [
    ...["FROM", "ARG", "RUN", "COPY", "LABEL", "USER", "WORKDIR", "EXPOSE", "ENTRYPOINT"],
  ]);
  const entry: readonly string[] = JSON.parse(lines.at(-1)?.slice("ENTRYPOINT ".length) ?? "");
  assert.deepStrictEqual(entry.slice(0, 3), ["ahma_mcp", "--mode", "http"]);
  assert.ok(entry.includes("--require-token"));
});

Deno.test("filled() refuses a name without a value", () => {
  assert.strictEqual(filled("a@b.c @X@", { X: "1" }), "a@b.c 1");
  assert.throws(() => filled("@X@ @Y_Z@", { X: "1" }), /The template has no value for @Y_Z@/);
});
