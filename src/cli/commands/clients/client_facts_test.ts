import assert from "node:assert/strict";
import { HOME_NAMES, PROTECTED_NAMES } from "../../../sandbox/protect/protected_paths.ts";
import { CLIENTS } from "./client_facts.ts";

Deno.test("S8 D5 the settings of each client are among what commands may not change", () => {
  const files = Object.values(CLIENTS).flatMap(({ settings }) => settings === undefined ? [] : [settings.file]);
  const isHeld = (names: readonly string[], file: string) =>
    names.some((name) => file === name || file.startsWith(`${name}/`));
  const open = files.filter((file) =>
    file.startsWith("~/") ? !isHeld([...HOME_NAMES, ...PROTECTED_NAMES], file.slice(2)) : !isHeld(PROTECTED_NAMES, file)
  );
  assert.deepStrictEqual([open, files.length], [[], 13]);
});
