import assert from "node:assert/strict";
import { askProgram } from "../../spawn.ts";
import { ConfigEditor } from "./edit_config.ts";

Deno.test("S24 ConfigEditor asks git about a content once, however often its file is looked at", async () => {
  const directory = await Deno.makeTempDir();
  let asked = 0;
  const editor = new ConfigEditor({
    git: { program: "/usr/bin/git", environment: {}, home: undefined },
    ask: (question) => {
      asked++;
      return askProgram(question);
    },
    directory,
    signal: new AbortController().signal,
  });
  const entriesOf = async (text: string) => {
    const before = asked;
    const entries = await editor.entriesOf(new TextEncoder().encode(text));
    return [entries && Object.fromEntries(entries), asked - before];
  };
  const large = `[a]\nb = ${"c".repeat(16 * 1024)}\n`;
  assert.deepStrictEqual(await entriesOf("[core]\nbare = false\n"), [{ "core.bare": ["false"] }, 1]);
  assert.deepStrictEqual(await entriesOf("[core]\nbare = true\n"), [{ "core.bare": ["true"] }, 1]);
  assert.deepStrictEqual(await entriesOf("[core]\nbare = false\n"), [{ "core.bare": ["false"] }, 0]);
  assert.deepStrictEqual(await entriesOf("[broken\n"), [undefined, 1]);
  assert.deepStrictEqual(await entriesOf("[broken\n"), [undefined, 1]);
  for (let time = 0; time < 2; time++) assert.strictEqual((await entriesOf(large))[1], 1);
  await Deno.remove(directory, { recursive: true });
});
