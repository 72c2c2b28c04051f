import assert from "node:assert/strict";
import { programDirectories, programIn } from "./program_path.ts";

Deno.test("G1 the tests find programs in the directories of the system and in that of Node, and nowhere else", async () => {
  const home = await Deno.makeTempDir();
  try {
    const system = ["/usr/local/bin", "/usr/bin", "/bin"];
    for (const path of ["node/bin", "cargo/bin"]) await Deno.mkdir(`${home}/${path}`, { recursive: true });
    await Deno.writeTextFile(`${home}/node/bin/node`, "", { mode: 0o755 });
    await Deno.writeTextFile(`${home}/cargo/bin/cargo`, "", { mode: 0o755 });
    const own = `${home}/node/bin`;
    assert.deepStrictEqual(programDirectories(`relative:${home}/cargo/bin:${own}:/usr/bin`), [own, ...system]);
    assert.deepStrictEqual(programDirectories(`${home}/cargo/bin`), system);
    assert.deepStrictEqual(programIn([`${home}/cargo/bin`, own], "node"), `${own}/node`);
    assert.deepStrictEqual(programIn([own], "cargo"), undefined);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
