import assert from "node:assert/strict";
import { findToolsDirectory, strayToolsDirectories } from "./find_tools.ts";

Deno.test("T1 findToolsDirectory() takes the given one, else .ahma/tools, else .ahma, if it holds tool files", async () => {
  const cwd = await Deno.makeTempDir();
  try {
    const chosen: (string | undefined)[] = [await findToolsDirectory(undefined, cwd)];
    await Deno.mkdir(`${cwd}/.ahma/tools`, { recursive: true });
    await Deno.writeTextFile(`${cwd}/.ahma/settings.json`, "{}");
    chosen.push(await findToolsDirectory(undefined, cwd));
    await Deno.writeTextFile(`${cwd}/.ahma/git.json`, "{}");
    chosen.push(await findToolsDirectory(undefined, cwd));
    await Deno.writeTextFile(`${cwd}/.ahma/tools/git.json`, "{}");
    chosen.push(await findToolsDirectory(undefined, cwd));
    chosen.push(await findToolsDirectory("mine", cwd), await findToolsDirectory("/mine", cwd));
    assert.deepStrictEqual(chosen, [
      undefined,
      undefined,
      `${cwd}/.ahma`,
      `${cwd}/.ahma/tools`,
      `${cwd}/mine`,
      "/mine",
    ]);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
});

Deno.test("T1 S4 findToolsDirectory() follows no link out of the project unless it is named", async () => {
  const base = await Deno.makeTempDir();
  const [cwd, elsewhere] = [`${base}/project`, `${base}/elsewhere`];
  try {
    await Deno.mkdir(`${cwd}/.ahma`, { recursive: true });
    await Deno.mkdir(elsewhere);
    await Deno.writeTextFile(`${elsewhere}/git.json`, "{}");
    await Deno.symlink(elsewhere, `${cwd}/.ahma/tools`);
    assert.deepStrictEqual([findToolsDirectory(undefined, cwd), strayToolsDirectories(cwd)], [
      undefined,
      [`${cwd}/.ahma/tools`],
    ]);
    assert.equal(findToolsDirectory(".ahma/tools", cwd), `${cwd}/.ahma/tools`);
    await Deno.remove(`${cwd}/.ahma/tools`);
    await Deno.mkdir(`${cwd}/mine`);
    await Deno.writeTextFile(`${cwd}/mine/git.json`, "{}");
    await Deno.symlink("../mine", `${cwd}/.ahma/tools`);
    const inside = [findToolsDirectory(undefined, cwd), strayToolsDirectories(cwd)];
    assert.deepStrictEqual(inside, [`${cwd}/.ahma/tools`, []], "a link to a place inside is as good as the place");
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
