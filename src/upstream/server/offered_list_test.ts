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

Deno.test("O2 O6 a change is told although another client is listed the new list before it was compared", async () => {
  const changes = new Emitter<undefined>((thrown) => {
    throw thrown;
  });
  const set = { learned: () => Promise.resolve(), onChange: (listener: () => void) => changes.subscribe(listener) };
  const answers: PromiseWithResolvers<readonly string[]>[] = [];
  const list = new OfferedList(set, () => {
    const answer = Promise.withResolvers<readonly string[]>();
    answers.push(answer);
    return answer.promise;
  }, SILENT);
  const told = Promise.withResolvers<string>();
  list.onChange(() => told.resolve("told"));
  const listed = async (names: readonly string[]) => {
    const listing = list.list();
    await Promise.resolve();
    answers.at(-1)?.resolve(names);
    return await listing;
  };
  assert.deepStrictEqual(await listed(["a"]), ["a"]);
  changes.emit(undefined);
  const comparison = answers.at(-1);
  assert.deepStrictEqual(await listed(["a", "b"]), ["a", "b"]);
  comparison?.resolve(["a", "b"]);
  await comparison?.promise;
  const later = Promise.resolve().then(() => {}).then(() => {}).then(() => "not told");
  assert.deepStrictEqual([await Promise.race([told.promise, later])], ["told"]);
});
