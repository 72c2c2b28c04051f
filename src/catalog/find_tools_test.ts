import assert from "node:assert/strict";
import { findToolsDirectory } from "./find_tools.ts";

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
