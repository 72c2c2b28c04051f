import assert from "node:assert/strict";
import { SILENT } from "../../base/log.ts";
import { ListChanges } from "./list_changes.ts";

Deno.test("O2 O6 a change of a list is told once, and not before something was listed", () => {
  const changes = new ListChanges(SILENT);
  let told = 0;
  changes.subscribe(() => told++);
  changes.isNow(["a"]);
  changes.listed(["a"]);
  changes.isNow(["a"]);
  assert.deepStrictEqual(told, 0);
  changes.isNow(["a", "b"]);
  changes.isNow(["a", "b"]);
  assert.deepStrictEqual(told, 1);
});
