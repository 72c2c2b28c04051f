/** Names of files and patterns in them that say what a project needs. Pure data. */
import { words } from "../../../../base/text.ts";

/** Names of what sets git's hooks up. */
export type HookManager = "husky" | "lefthook" | "pre-commit";

/** Files, and patterns whose first group, or whole match, is looked for in them. */
export type FilePatterns = readonly (readonly [file: string, pattern: RegExp])[];

/** Programs by the file that asks for them; of two files for one program the first is named, in the program's own order. */
export const TOOLS: Readonly<Record<string, string>> = {
  "Cargo.toml": "cargo",
  "go.mod": "go",
  "go.work": "go",
  "package.json": "node",
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
  "pnpm-lock.yaml": "pnpm",
  "pnpm-workspace.yaml": "pnpm",
  "yarn.lock": "yarn",
  ".yarnrc.yml": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
  "bunfig.toml": "bun",
  "deno.json": "deno",
  "deno.jsonc": "deno",
  "deno.lock": "deno",
  "pyproject.toml": "python3",
  "requirements.txt": "python3",
  "requirements-dev.txt": "python3",
  "setup.py": "python3",
  "setup.cfg": "python3",
  ".venv": ".venv/bin/python",
  "uv.lock": "uv",
  "poetry.lock": "poetry",
  "pdm.lock": "pdm",
  "Pipfile": "pipenv",
  "Pipfile.lock": "pipenv",
  "pixi.toml": "pixi",
  "tox.ini": "tox",
  "noxfile.py": "nox",
  "mvnw": "java",
  "gradlew": "java",
  "pom.xml": "mvn",
  "settings.gradle": "gradle",
  "settings.gradle.kts": "gradle",
  "build.gradle": "gradle",
  "build.gradle.kts": "gradle",
  "build.xml": "ant",
  "build.sbt": "sbt",
  "binding.gyp": "cc make python3",
  "GNUmakefile": "make",
  "makefile": "make",
  "Makefile": "make",
  "justfile": "just",
  "Justfile": "just",
  ".justfile": "just",
  "Taskfile.yml": "task",
  "Taskfile.yaml": "task",
  "CMakeLists.txt": "cmake",
  "configure.ac": "autoreconf",
  "configure.in": "autoreconf",
  "meson.build": "meson",
  "SConstruct": "scons",
  "MODULE.bazel": "bazel",
  "WORKSPACE": "bazel",
  "WORKSPACE.bazel": "bazel",
  "Gemfile": "bundle",
  "gems.rb": "bundle",
  "Rakefile": "rake",
  "composer.json": "composer",
  "mix.exs": "mix",
  "rebar.config": "rebar3",
  "Package.swift": "swift",
  "pubspec.yaml": "dart",
  "build.zig": "zig",
  "dune-project": "dune",
  "stack.yaml": "stack",
  "cabal.project": "cabal",
  "project.clj": "lein",
  "deps.edn": "clojure",
  "global.json": "dotnet",
};

/** Programs by the end of a name. */
export const TOOLS_BY_ENDING: Readonly<Record<string, string>> = {
  ".sln": "dotnet",
  ".slnx": "dotnet",
  ".csproj": "dotnet",
  ".fsproj": "dotnet",
  ".cabal": "cabal",
};

/** Programs that a section of pyproject.toml configures. */
export const PYTHON_TOOLS: readonly (readonly [program: string, section: RegExp])[] = [
  ["uv", /^\[tool\.uv[\].]/m],
  ["poetry", /^\[tool\.poetry[\].]/m],
  ["pdm", /^\[tool\.pdm[\].]/m],
  ["hatch", /^\[tool\.hatch\.envs[\].]/m],
  ["pixi", /^\[tool\.pixi[\].]/m],
];

/** What a wrapper fetches itself. */
export const WRAPPED: Readonly<Record<string, string>> = { mvn: "mvnw", gradle: "gradlew" };
/** Programs that fetch nothing. */
export const OFFLINE = words("make cmake autoreconf meson cc just task scons ant dune rake");

/** Files that require a version of a program, and where they name it. */
export const VERSIONS: readonly (readonly [file: string, program: string, pattern: RegExp])[] = [
  [".nvmrc", "node", /^\s*v?(\d[\w.-]*)/],
  [".node-version", "node", /^\s*v?(\d[\w.-]*)/],
  [".tool-versions", "node", /^nodejs[ \t]+(\d[\w.-]*)/m],
  [".bun-version", "bun", /^\s*v?(\d[\w.-]*)/],
  [".python-version", "python3", /^\s*(\d[\w.-]*)/],
  [".tool-versions", "python3", /^python[ \t]+(\d[\w.-]*)/m],
  ["go.mod", "go", /^(?:toolchain go|go )(\d[\w.]*)/m],
];

/** Dependencies by their path. */
export const PLACES: FilePatterns = [
  ["Cargo.toml", /\bpath\s*=\s*"([^"\n]+)"/g],
  ["go.mod", /=>[ \t]+(\.\.?\/\S+|\/\S+)/g],
  ["go.work", /^[ \t]*(?:use[ \t]+)?(\.\.(?:\/\S*)?)[ \t]*$/gm],
  ["package.json", /"(?:file|link|portal):([^"\n]+)"/g],
  ["pnpm-workspace.yaml", /^[ \t]*-[ \t]*['"]?(\.\.\/[^'"*\s]+)/gm],
  ["deno.json", /"(\.\.\/[^"*\n]+)"/g],
  ["deno.jsonc", /"(\.\.\/[^"*\n]+)"/g],
  ["pyproject.toml", /\bpath\s*=\s*"([^"\n]+)"/g],
  ["requirements.txt", /^(?:-[er][ \t]+)?(\.\.\/\S+|\/\S+)/gm],
  ["requirements-dev.txt", /^(?:-[er][ \t]+)?(\.\.\/\S+|\/\S+)/gm],
  ["tsconfig.json", /"(?:extends|path)"\s*:\s*"(\.\.\/[^"\n]+)"/g],
  ["jsconfig.json", /"(?:extends|path)"\s*:\s*"(\.\.\/[^"\n]+)"/g],
  ["pom.xml", /<(?:relativePath|module)>\s*(\.\.\/[^<\s]+)/g],
  ["settings.gradle", /\bincludeBuild[ \t(]+['"](\.\.\/[^'"\n]+)/g],
  ["settings.gradle.kts", /\bincludeBuild[ \t(]+['"](\.\.\/[^'"\n]+)/g],
  ["Gemfile", /\bpath:\s*['"]([^'"\n]+)['"]/g],
  ["composer.json", /"url"\s*:\s*"(\.\.\/[^"*\n]+)"/g],
  ["pubspec.yaml", /^[ \t]+path:[ \t]*['"]?([^'"\s]+)/gm],
  ["mix.exs", /\bpath:\s*"([^"\n]+)"/g],
  ["CMakeLists.txt", /\badd_subdirectory\s*\(\s*"?(\.\.\/[^\s")]+)/g],
];

const VARIABLE = /\$\{([A-Za-z_]\w{0,99})/g;
/** Settings of package managers, whose variables hold tokens. */
export const VARIABLES: FilePatterns = words(".npmrc .yarnrc.yml .yarnrc").map((file) => [file, VARIABLE]);

const COMPOSE = "compose.yaml compose.yml docker-compose.yml docker-compose.yaml";
const SOCKET = /(?:\/var)?\/run\/[\w.-]+\/[\w./-]{1,200}|\/tmp\/(?:\.s\.PGSQL\.\d+|mysql\.sock)/g;
export const SOCKETS: FilePatterns = words(
  `.env .env.example .env.development .env.local .env.test database.yml ${COMPOSE} compose.override.yaml ` +
    "compose.override.yml docker-compose.override.yml docker-compose.override.yaml",
).map((file) => [file, SOCKET]);

export const HOOKS: Readonly<Record<string, HookManager>> = {
  ".husky": "husky",
  "lefthook.yml": "lefthook",
  "lefthook.yaml": "lefthook",
  "lefthook.toml": "lefthook",
  "lefthook.json": "lefthook",
  ".lefthook.yml": "lefthook",
  ".lefthook.yaml": "lefthook",
  ".lefthook.toml": "lefthook",
  ".lefthook.json": "lefthook",
  ".pre-commit-config.yaml": "pre-commit",
  ".pre-commit-config.yml": "pre-commit",
};

/** Files that docker builds or starts from. */
export const CONTAINERS = words(`${COMPOSE} Dockerfile Containerfile .devcontainer .devcontainer.json`);
/** Files that name the library whose tests start containers. */
export const TESTS_IN_CONTAINERS = words(
  "package.json pom.xml build.gradle build.gradle.kts go.mod pyproject.toml requirements.txt requirements-dev.txt " +
    "Cargo.toml",
);

/** Programs that know home only. */
export const HOMES: Readonly<Record<string, string>> = {
  "ansible.cfg": "ANSIBLE_HOME .ansible",
  "mix.exs": "MIX_HOME .mix",
  "project.clj": "LEIN_HOME .lein",
  "stack.yaml": "STACK_ROOT .stack",
};
