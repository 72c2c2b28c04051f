import assert from "node:assert/strict";
import { sensitiveProblem } from "./sensitive.ts";

Deno.test("S4 sensitiveProblem() refuses a grant that is, holds or lies in a place of credentials", () => {
  const refused = ["/home/u", "/home/u/", "/home", "/", "/home/u/.ssh", "/home/u/.ssh/keys", "/home/u/.config"];
  assert.deepStrictEqual(refused.filter((path) => sensitiveProblem(path, "/home/u") === undefined), []);
});

Deno.test("S4 sensitiveProblem() takes other directories", () => {
  const taken = ["/srv/data", "/home/u/src", "/home/u/.sshfs", "/home/u/.config/app"];
  assert.deepStrictEqual(taken.filter((path) => sensitiveProblem(path, "/home/u") !== undefined), []);
});
