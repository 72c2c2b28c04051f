import assert from "node:assert/strict";
import { compareText } from "../base/text.ts";
import { readPrompt } from "../prompt/format/read_prompt.ts";
import { shippedPrompts } from "./shipped_texts.ts";

Deno.test("Q1 every file of prompts/ is inside the program, and none has a mistake", async () => {
  const directory = new URL("../../prompts/", import.meta.url);
  const files = (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort(compareText);
  const shipped = await shippedPrompts();
  assert.deepStrictEqual(shipped.map(({ file }) => file).sort(compareText), files);
  for (const one of shipped) {
    assert.deepStrictEqual(one.text, await Deno.readTextFile(new URL(one.file, directory)));
    const { prompt, diagnostics } = await readPrompt(one);
    assert.deepStrictEqual([diagnostics, prompt?.isPartial], [[], one.name.startsWith("_")]);
  }
});
