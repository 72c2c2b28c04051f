import assert from "node:assert/strict";
import { TreeMaker } from "./tree_maker.ts";

Deno.test("TreeMaker makes directories, files and links, and removes them without following a link", () => {
  const base = Deno.makeTempDirSync();
  using maker = new TreeMaker();
  try {
    Deno.mkdirSync(`${base}/kept`);
    Deno.writeTextFileSync(`${base}/kept/file`, "kept");
    maker.directory(`${base}/tree`);
    maker.directory(`${base}/tree/below`, 0o700);
    maker.file(`${base}/tree/below/file`);
    maker.link(`${base}/tree/below/link`, `${base}/kept`);
    const modes = ["", "/below", "/below/file"].map((path) =>
      (Deno.lstatSync(`${base}/tree${path}`).mode ?? 0) & 0o777
    );
    assert.deepStrictEqual(modes, [0o755, 0o700, 0o444]);
    assert.deepStrictEqual(maker.names(`${base}/tree/below`)?.toSorted(), ["file", "link"]);
    assert.deepStrictEqual(["link", "file"].map((name) => maker.target(`${base}/tree/below/${name}`)), [
      `${base}/kept`,
      undefined,
    ]);
    for (const name of ["", "/below/file"]) assert.throws(() => maker.directory(`${base}/tree${name}`), /Cannot make/);
    assert.throws(() => maker.file(`${base}/tree/below/link`), /Cannot make/);
    for (let times = 0; times < 2; times++) maker.remove(`${base}/tree`);
    assert.deepStrictEqual([maker.names(base), maker.names(`${base}/tree`), maker.names(`${base}/kept`)], [
      ["kept"],
      undefined,
      ["file"],
    ]);
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
});
