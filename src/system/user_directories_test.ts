import assert from "node:assert/strict";
import { insistOnHome, userDirectory } from "./user_directories.ts";

Deno.test("L8 userDirectory() follows its variable, else HOME, and counts a relative path as unset", () => {
  const cases: readonly Record<string, string>[] = [
    { XDG_CACHE_HOME: "/c", HOME: "/h" },
    { XDG_CACHE_HOME: "relative", HOME: "/h" },
    { HOME: "relative" },
    {},
  ];
  assert.deepStrictEqual(cases.map((environment) => userDirectory(environment, "XDG_CACHE_HOME")), [
    "/c",
    "/h/.cache",
    undefined,
    undefined,
  ]);
  assert.equal(userDirectory({ HOME: "/h" }, "XDG_STATE_HOME"), "/h/.local/state");
});

Deno.test("S2 insistOnHome() takes an absolute path only, and says what it was given", () => {
  insistOnHome({ HOME: "/h" });
  assert.throws(() => insistOnHome({}), /^UserError: Cannot set up the sandbox: HOME is not set, so /);
  assert.throws(
    () => insistOnHome({ HOME: "" }),
    /^UserError: Cannot set up the sandbox: HOME is "", not an absolute path, so /,
  );
});
