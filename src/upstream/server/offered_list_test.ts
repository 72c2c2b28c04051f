import assert from "node:assert/strict";
import { Emitter } from "../../base/emitter.ts";
import { SILENT } from "../../base/log.ts";
import { OfferedList } from "./offered_list.ts";

Deno.test("O2 O6 a change of a list is told once, and not before something was listed", async () => {
  const changes = new Emitter<undefined>((thrown) => {
    throw thrown;
  });
  let [now, asked, told] = [["a"], 0, 0];
  const set = { learned: () => Promise.resolve(), onChange: (listener: () => void) => changes.subscribe(listener) };
  const list = new OfferedList(set, () => Promise.resolve((asked++, now)), SILENT);
  list.onChange(() => told++);
  const changeTo = async (next: readonly string[]) => {
    now = [...next];
    changes.emit(undefined);
    await Promise.resolve().then(() => {}).then(() => {});
    return told;
  };
  assert.deepStrictEqual([await changeTo(["b"]), asked], [0, 0]);
  assert.deepStrictEqual([await list.list(), told], [["b"], 0]);
  assert.deepStrictEqual([await changeTo(["b"]), await changeTo(["b", "c"]), await changeTo(["b", "c"])], [0, 1, 1]);
});
