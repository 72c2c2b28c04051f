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

/** A file as it is named, the programs that it asks for, and its text where that matters. */
const FILES: readonly (readonly [file: string, programs: string, text?: string])[] = [
  ["GNUmakefile", "make"],
  ["makefile", "make"],
  ["Makefile", "make"],
  ["justfile", "just"],
  ["Justfile", "just"],
  [".justfile", "just"],
  ["Taskfile.yaml", "task"],
  ["pnpm-workspace.yaml", "pnpm"],
  [".yarnrc.yml", "yarn"],
  ["bun.lock", "bun"],
  ["bunfig.toml", "bun"],
  ["deno.jsonc", "deno"],
  ["deno.lock", "deno"],
  ["build.gradle.kts", "gradle"],
  ["settings.gradle.kts", "gradle"],
  ["build.xml", "ant"],
  ["requirements-dev.txt", "python3"],
  ["setup.cfg", "python3"],
  ["pyproject.toml", "python3", "[project]\nname = 'x'\n"],
  ["pyproject.toml", "python3 uv", "[tool.uv]\npackage = false\n"],
  ["pyproject.toml", "python3 poetry", "[tool.poetry.dependencies]\n"],
  ["pyproject.toml", "python3 pdm", "[tool.pdm.dev-dependencies]\n"],
  ["pyproject.toml", "python3 hatch", "[tool.hatch.envs.test]\n"],
  ["pyproject.toml", "python3", "[tool.hatch.build]\n# [tool.uv]\n[tool.uvx]\n"],
  ["Pipfile.lock", "pipenv"],
  ["tox.ini", "tox"],
  ["noxfile.py", "nox"],
  ["configure.in", "autoreconf"],
  ["SConstruct", "scons"],
  ["MODULE.bazel", "bazel"],
  ["gems.rb", "bundle"],
  ["Rakefile", "rake"],
  ["rebar.config", "rebar3"],
  ["pubspec.yaml", "dart"],
  ["build.zig", "zig"],
  ["dune-project", "dune"],
  ["stack.yaml", "stack"],
  ["x.cabal", "cabal"],
  ["deps.edn", "clojure"],
  ["App.sln", "dotnet"],
  ["App.csproj", "dotnet"],
  ["makefile.old", ""],
  ["MAKEFILE", ""],
];

Deno.test("L6 needsOf() knows the other names of files that ask for a program", () => {
  for (const [file, programs, text = ""] of FILES) {
    const found = needsOf([directory({ [file]: text })]).tools.map(({ name, file }) => [name, file]);
    assert.deepStrictEqual(found, programs.split(" ").filter((name) => name !== "").map((name) => [name, file]), file);
  }
});

Deno.test("L6 needsOf() names the makefile that make takes", async () => {
  const cwd = await Deno.makeTempDir({ prefix: "ahma-test-" });
  try {
    const files: Record<string, string> = {};
    for (const file of ["Makefile", "makefile", "GNUmakefile"]) {
      files[file] = "";
      await Deno.writeTextFile(`${cwd}/${file}`, `all:\n\t@echo ${file}\n`);
      const { stdout } = await new Deno.Command("make", { cwd }).output();
      const taken = needsOf([directory(files)]).tools.map((tool) => tool.file);
      assert.deepStrictEqual([taken, new TextDecoder().decode(stdout)], [[file], `${file}\n`]);
    }
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
});

Deno.test("L6 needsOf() finds paths out of the project in the files of more languages", () => {
  const places = (file: string, text: string) => needsOf([directory({ [file]: text })]).places.map(({ name }) => name);
  const rows: readonly (readonly [file: string, text: string, place: string])[] = [
    ["deno.jsonc", '{ "imports": { "a/": "../a/" }, "exclude": ["b"] }', "/a"],
    ["requirements-dev.txt", "-r ../base.txt\n-r inner.txt\n", "/base.txt"],
    ["jsconfig.json", '{"extends": "../base.json"}', "/base.json"],
    ["pom.xml", "<relativePath>../pom.xml</relativePath>", "/pom.xml"],
    ["settings.gradle.kts", 'includeBuild("../build-logic")\ninclude("app")\n', "/build-logic"],
    ["settings.gradle", "includeBuild '../build-logic'\n", "/build-logic"],
    ["Gemfile", "gem 'x', path: '../x'\n", "/x"],
    ["composer.json", '{"repositories": [{"type": "path", "url": "../x"}]}', "/x"],
    ["pubspec.yaml", "dependencies:\n  x:\n    path: ../x\n", "/x"],
    ["mix.exs", '{:x, path: "../x"}', "/x"],
    ["CMakeLists.txt", "add_subdirectory(../x build)\nadd_subdirectory(src)\n", "/x"],
  ];
  for (const [file, text, place] of rows) assert.deepStrictEqual(places(file, text), [place], file);
});

Deno.test("L6 needsOf() knows the other names of settings of docker, hooks and version managers", () => {
  const needs = needsOf([directory({
    "docker-compose.yaml": "- /var/run/mysqld/mysqld.sock:/x\n",
    "package.json": "{}",
    "setup.cfg": "",
    ".tool-versions": "nodejs 20.1.0\npython 3.11\n",
    ".lefthook.toml": "",
    ".pre-commit-config.yml": "",
  })]);
  assert.deepStrictEqual([needs.sockets, needs.hooks, needs.containers].map(asked), [
    { "/var/run/mysqld/mysqld.sock": "docker-compose.yaml" },
    { "lefthook": ".lefthook.toml", "pre-commit": ".pre-commit-config.yml" },
    { docker: "docker-compose.yaml" },
  ]);
  assert.deepStrictEqual(needs.tools.map(({ name, wanted }) => [name, wanted?.version]), [
    ["node", "20.1.0"],
    ["python3", "3.11"],
    ["npm", undefined],
  ]);
  assert.strictEqual(
    asked(needsOf([directory({ ".devcontainer.json": "" })]).containers)["docker"],
    ".devcontainer.json",
  );
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

Deno.test("S30 L6 needsOf() takes the addresses of registries and repositories from the manifests that name them", () => {
  const files = {
    ".npmrc": "registry=https://a.example/\n@mine:registry=https://b.example:8443/x/\n",
    "package.json": '{"dependencies": {"x": "git+https://c.example/x.git", "y": "https://d.example/y.tgz"}}',
    "requirements.txt": "--index-url https://e.example/simple\n--extra-index-url=http://f.example:8080/simple\n",
    "Cargo.toml": '[dependencies]\nz = { git = "https://g.example/z" }\n',
    "config.toml":
      '[source.m]\nregistry = "sparse+https://h.example/"\n[registries.r]\nindex = "https://i.example/r"\n',
    "pom.xml": "<repositories><repository><id>a</id><url>https://j.example/m2</url></repository></repositories>",
    ".gitmodules": '[submodule "s"]\n url = https://k.example/s.git\n',
  };
  const { addresses } = needsOf([directory(files)]);
  const hosts = addresses.map((address) => new URL(address).hostname[0]).sort();
  assert.deepStrictEqual(hosts, [..."abcdefghijk"]);
});
