import assert from "node:assert/strict";
import { rootsOf, rootsOfProgram, toolchainDirectories } from "./toolchains.ts";

const HOME = "/home/u";

Deno.test("S4 rootsOf() finds the tree of a version manager", () => {
  assert.deepStrictEqual(rootsOf("/home/u/.nvm/versions/node/v20/bin", HOME), ["/home/u/.nvm"]);
  assert.deepStrictEqual(rootsOf("/home/u/.cargo/bin", HOME), ["/home/u/.cargo/bin", "/home/u/.rustup"]);
  assert.deepStrictEqual(rootsOf("/x/node_modules/.bin", HOME), ["/x/node_modules"]);
});

Deno.test("S4 rootsOf() never opens home, what holds it, or the parts of ~/.local that are no programs", () => {
  assert.deepStrictEqual(["/", "/home", HOME].map((path) => rootsOf(path, HOME)), [[], [], []]);
  assert.deepStrictEqual(rootsOf("/home/u/bin", HOME), ["/home/u/bin"]);
  assert.deepStrictEqual(rootsOf("/home/u/.local/bin", HOME), ["/home/u/.local/bin", "/home/u/.local/lib"]);
});

Deno.test("S4 rootsOf() opens the usual parts of a prefix", () => {
  assert.deepStrictEqual(rootsOf("/srv/tool/bin", undefined), [
    "/srv/tool/bin",
    "/srv/tool/include",
    "/srv/tool/lib",
    "/srv/tool/lib64",
    "/srv/tool/libexec",
    "/srv/tool/share",
  ]);
});

Deno.test("S4 toolchainDirectories() takes what variables name, but never home or what holds it", () => {
  assert.deepStrictEqual(
    toolchainDirectories({
      path: [],
      home: HOME,
      homes: ["/srv/jdk", "/home/u", "/home", "/", "/home/u/sdk"],
      resolve: (one) => one,
    }),
    ["/srv/jdk", "/home/u/sdk"],
  );
});

Deno.test("S4 rootsOfProgram() opens the tool chain of a linked program, and of a mere script only the script", () => {
  assert.deepStrictEqual(rootsOfProgram("/home/u/project/run.sh", HOME), ["/home/u/project/run.sh"]);
  assert.deepStrictEqual(rootsOfProgram("/home/u/.nvm/v20/bin/node", HOME), ["/home/u/.nvm"]);
  assert.ok(rootsOfProgram("/srv/x/bin/tool", HOME).includes("/srv/x/lib"));
});
