import assert from "node:assert/strict";
import { lookAtProject } from "./project_files.ts";

Deno.test("L6 lookAtProject() reads small regular files of the upper levels, and none outside", () => {
  const base = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const scope = `${base}/scope`;
    for (const directory of ["a/b/c", "node_modules/x", ".hidden", ".cargo"]) {
      Deno.mkdirSync(`${scope}/${directory}`, { recursive: true });
    }
    Deno.writeTextFileSync(`${base}/secret`, "outside");
    Deno.writeTextFileSync(`${scope}/go.mod`, "module x\n");
    Deno.writeTextFileSync(`${scope}/a/b/Makefile`, "all:\n");
    Deno.symlinkSync(`${base}/secret`, `${scope}/.npmrc`);
    Deno.symlinkSync("go.mod", `${scope}/go.work`);
    Deno.symlinkSync(base, `${scope}/out`);
    using huge = Deno.openSync(`${scope}/Cargo.toml`, { write: true, create: true });
    huge.truncateSync(1024 ** 3);
    assert.ok(new Deno.Command("mkfifo", { args: [`${scope}/package.json`] }).outputSync().success);
    const found = lookAtProject(scope);
    assert.deepStrictEqual(found.map(({ below }) => below), ["", ".cargo", "a", "a/b"]);
    const [top, , , inner] = found;
    assert.ok(top?.names.has("package.json"));
    assert.deepStrictEqual(
      ["go.mod", "go.work", ".npmrc", "Cargo.toml", "package.json", "none"].map((name) => top?.text(name)),
      ["module x\n", "module x\n", undefined, undefined, undefined, undefined],
    );
    assert.strictEqual(inner?.text("Makefile"), "all:\n");
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
});

Deno.test("L6 lookAtProject() ends at a number of directories", () => {
  const scope = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    for (let at = 0; at < 201; at++) Deno.mkdirSync(`${scope}/${at}`);
    assert.strictEqual(lookAtProject(scope).length, 200);
  } finally {
    Deno.removeSync(scope, { recursive: true });
  }
});
