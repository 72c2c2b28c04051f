import assert from "node:assert/strict";
import type { ProjectDirectory } from "./project_files.ts";
import { needsOf } from "./project_needs.ts";

function directory(files: Readonly<Record<string, string>>, below = ""): ProjectDirectory {
  const path = below === "" ? "/p" : `/p/${below}`;
  return { path, below, names: new Set(Object.keys(files)), text: (name) => files[name] };
}

/** By name: the file that asks. */
function asked(needs: readonly { readonly name: string; readonly file: string }[]): Record<string, string> {
  return Object.fromEntries(needs.map(({ name, file }) => [name, file]));
}

Deno.test("L6 needsOf() finds programs by lock files, manifests and wrappers, each once", () => {
  const of = (files: Readonly<Record<string, string>>) => asked(needsOf([directory(files)]).tools);
  assert.deepStrictEqual(of({ "Cargo.toml": "", "go.mod": "" }), { cargo: "Cargo.toml", go: "go.mod" });
  assert.deepStrictEqual(of({ "package.json": "{}" }), { node: "package.json", npm: "package.json" });
  assert.deepStrictEqual(of({ "package.json": '{"packageManager": "pnpm@9.0.0"}' }), {
    node: "package.json",
    pnpm: "package.json",
  });
  assert.deepStrictEqual(of({ "package.json": "{}", "yarn.lock": "" }), { node: "package.json", yarn: "yarn.lock" });
  assert.deepStrictEqual(of({ "pom.xml": "" }), { mvn: "pom.xml" });
  assert.deepStrictEqual(of({ "pom.xml": "", "mvnw": "", "build.gradle": "" }), {
    java: "mvnw",
    gradle: "build.gradle",
  });
  const nested = needsOf([directory({ "Makefile": "" }), directory({ "Makefile": "", "uv.lock": "" }, "a/b")]);
  assert.deepStrictEqual(asked(nested.tools), { make: "Makefile", uv: "a/b/uv.lock" });
  const workspace = [
    directory({ "package.json": "{}", "pnpm-lock.yaml": "" }),
    directory({ "package.json": "{}" }, "a"),
  ];
  assert.deepStrictEqual(Object.keys(asked(needsOf(workspace).tools)), ["node", "pnpm"]);
  assert.deepStrictEqual([needsOf([directory({ "Makefile": "" })]).packages, nested.packages], [false, true]);
});

Deno.test("L6 needsOf() finds versions that files ask for", () => {
  const { tools } = needsOf([directory({
    "package.json": "{}",
    ".nvmrc": "v20.1\n",
    "go.mod": "module x\n\ngo 1.22\n",
    "setup.py": "",
    ".python-version": "3.12\n",
  })]);
  assert.deepStrictEqual(Object.fromEntries(tools.map(({ name, wanted }) => [name, wanted?.version])), {
    node: "20.1",
    npm: undefined,
    go: "1.22",
    python3: "3.12",
  });
});

Deno.test("L6 needsOf() finds places, variables, sockets, hooks, containers and submodules", () => {
  const needs = needsOf([
    directory({
      "Cargo.toml": '[dependencies]\na = { path = "../a" }\nb = { path = "b" }\nc = { path = "/c" }\n',
      "go.mod": "module x\nreplace y => ../y\n",
      ".npmrc": "//r/:_authToken=${NPM_TOKEN}\n",
      ".env": "A=postgres:///x?host=/var/run/postgresql/.s.PGSQL.5432\n",
      "package.json": '{"scripts": {"prepare": "husky"}}',
      "lefthook.yml": "",
      ".pre-commit-config.yaml": "",
      "compose.yaml": "",
      ".gitattributes": "*.bin filter=lfs diff=lfs\n",
      ".gitmodules": '[submodule "a"]\n\turl = https://example.com/a\n',
      "mix.exs": "",
    }),
    directory({ "package.json": '{"dependencies": {"b": "file:../../b"}}' }, "web"),
  ]);
  assert.deepStrictEqual(
    [
      needs.places,
      needs.variables,
      needs.sockets,
      needs.hooks,
      needs.containers,
      needs.filters,
      needs.submodules,
      needs.homes,
    ].map(
      asked,
    ),
    [
      { "/a": "Cargo.toml", "/c": "Cargo.toml", "/y": "go.mod", "/b": "web/package.json" },
      { NPM_TOKEN: ".npmrc" },
      { "/var/run/postgresql/.s.PGSQL.5432": ".env" },
      { "lefthook": "lefthook.yml", "pre-commit": ".pre-commit-config.yaml", "husky": "package.json" },
      { docker: "compose.yaml" },
      { lfs: ".gitattributes" },
      { "https://example.com/a": ".gitmodules" },
      { "MIX_HOME .mix": "mix.exs" },
    ],
  );
  const many = Array.from({ length: 100 }, (_, at) => `a = { path = "../${at}" }\n`).join("");
  assert.strictEqual(needsOf([directory({ "Cargo.toml": many })]).places.length, 16);
});
