/** Weeks with the projects that the gate builds (tests/projects), and steps of each kind that leave the project. */
import { C_PROJECT } from "../../tests/projects/c_project.ts";
import { CARGO_PROJECT } from "../../tests/projects/cargo_project.ts";
import { GO_PROJECT } from "../../tests/projects/go_project.ts";
import { MAVEN_PROJECT } from "../../tests/projects/maven_project.ts";
import { NPM_PROJECT } from "../../tests/projects/npm_project.ts";
import type { Project } from "../../tests/projects/project.ts";
import { PYTHON_PROJECT } from "../../tests/projects/python_project.ts";
import { COMMIT, FILE_HOST, PUSH, type Week } from "./week.ts";

const RELEASES = { "releases/": "" };

const NPM: Week = {
  ...ofProject(NPM_PROJECT, { ".gitignore": "node_modules\ndist\nbuild\n", ".vscode/settings.json": "{}\n" }),
  beside: {
    ...RELEASES,
    "words/package.json": '{"name":"words","version":"1.0.0","main":"words.js"}\n',
    "words/words.js": 'module.exports = "words";\n',
  },
  days: [
    ["npm install --no-audit --no-fund", "npm test --silent", "npm run --silent build && node dist/main.js", COMMIT],
    ["npm install --no-audit --no-fund --save-dev is-number@7.0.0", "npm test --silent", COMMIT, PUSH],
    ["npm install --no-audit --no-fund ../words", `node -p 'require("words")'`, "npm test --silent", COMMIT],
    [
      `node -e 'fetch("http://${FILE_HOST}/tool").then((it) => it.text()).then((it) => fs.writeFileSync("tool", it))'`,
      `echo '{ "editor.tabSize": 2 }' > .vscode/settings.json`,
      "npm test --silent",
      COMMIT,
    ],
    ["npm test --silent", "npm pack --silent -w addon --pack-destination ../releases", COMMIT, PUSH],
  ],
};

const CARGO_TEST = "cargo test -q --workspace";
const CARGO: Week = {
  ...ofProject(CARGO_PROJECT, { ".gitignore": "target\n" }),
  beside: {
    ...RELEASES,
    "words/Cargo.toml": '[package]\nname = "words"\nversion = "1.0.0"\nedition = "2021"\n[lib]\ndoctest = false\n',
    "words/src/lib.rs": 'pub const WORDS: &str = "words";\n',
  },
  days: [
    ["cargo fetch -q", CARGO_TEST, "cargo install -q --path app && greet", COMMIT],
    ["cargo add -q -p greeting cfg-if@1", CARGO_TEST, COMMIT, PUSH],
    ["cargo add -q -p greeting --path ../words", CARGO_TEST, COMMIT],
    [`curl -sSf -o greeting/words.txt http://${FILE_HOST}/words.txt`, CARGO_TEST, COMMIT],
    ["cargo build -q", "cp target/debug/greet ../releases/", COMMIT, PUSH],
  ],
};

const GO_TEST = "go test -vet=off ./...";
const GO: Week = {
  ...ofProject(GO_PROJECT, {}),
  beside: {
    ...RELEASES,
    "words/go.mod": "module example.invalid/words\n\ngo 1.19\n",
    "words/words.go": 'package words\n\nconst Words = "words"\n',
  },
  days: [
    ["go generate ./...", GO_TEST, "go install ./cmd/greet && greet", COMMIT],
    ["go vet ./greeting", GO_TEST, COMMIT, PUSH],
    [
      "go mod edit -require example.invalid/words@v0.0.0 -replace example.invalid/words=../words && mkdir -p more && " +
      `printf 'package more\\n\\nimport _ "example.invalid/words"\\n' > more/more.go && go build ./...`,
      GO_TEST,
      COMMIT,
    ],
    [`mkdir -p testdata && curl -sSf -o testdata/words.txt http://${FILE_HOST}/words.txt`, GO_TEST, COMMIT],
    [GO_TEST, "go build -o ../releases/greet ./cmd/greet", COMMIT, PUSH],
  ],
};

const PIP = "python3 -mpip --python .venv install -q --no-compile";
const PYTEST = ".venv/bin/python -m pytest -q";
const PYTHON: Week = {
  ...ofProject(PYTHON_PROJECT, { ".gitignore": ".venv\nbuild\n*.egg-info\n", ".envrc": "export A=1\n" }),
  beside: {
    ...RELEASES,
    "words/pyproject.toml": '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n' +
      '[project]\nname = "words"\nversion = "1.0"\n[tool.setuptools]\npackages = ["words"]\n',
    "words/words/__init__.py": 'WORDS = "words"\n',
  },
  days: [
    [`python3 -m venv --without-pip .venv && ${PIP} pytest .`, PYTEST, ".venv/bin/fast-answer", COMMIT],
    [`${PIP} attrs`, PYTEST, COMMIT, PUSH],
    [`${PIP} ../words`, ".venv/bin/python -c 'import words; print(words.WORDS)'", PYTEST, COMMIT],
    [
      `python3 -c 'from urllib.request import urlretrieve; urlretrieve("http://${FILE_HOST}/words.txt", "words.txt")'`,
      "echo 'export A=2' > .envrc",
      PYTEST,
      COMMIT,
    ],
    [PYTEST, "python3 -mpip wheel -q --no-deps -w ../releases .", COMMIT, PUSH],
  ],
};

const MVN = "mvn -q -B -ntp";
const MAVEN: Week = {
  ...ofProject(MAVEN_PROJECT, { ".gitignore": "target\n" }),
  beside: {
    ...RELEASES,
    "words/pom.xml": '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>' +
      "<groupId>invalid.example</groupId><artifactId>words</artifactId><version>1.0</version>" +
      "<packaging>pom</packaging></project>\n",
  },
  days: [
    [`${MVN} test`, "cat target/surefire-reports/*.txt", COMMIT],
    [`${MVN} -o test`, COMMIT, PUSH],
    [`${MVN} -f ../words/pom.xml validate`, `${MVN} -o test`, COMMIT],
    [`curl -sSf -o src/test/words.txt http://${FILE_HOST}/words.txt`, `${MVN} -o test`, COMMIT],
    [`${MVN} -o test`, "cp -r target/classes ../releases/", COMMIT, PUSH],
  ],
};

const CHECK = "make -s -j2 check";
const C: Week = {
  ...ofProject(C_PROJECT, { ".gitignore": "*.o\n*.a\n*.bin\n*.inc\nout\n" }),
  beside: { ...RELEASES, "words/words.h": '#define WORDS "words"\n' },
  days: [
    [CHECK, "cmake -S . -B out && cmake --build out -j2 && ctest --test-dir out", COMMIT],
    ["make -s -B -j2 check", COMMIT, PUSH],
    [
      `printf '#include "words.h"\\nint main(void) { return 0; }\\n' > w.c && gcc -I../words -o w.bin w.c`,
      CHECK,
      COMMIT,
    ],
    [`curl -sSf -o words.txt http://${FILE_HOST}/words.txt`, CHECK, COMMIT],
    [CHECK, "cp libtable.a ../releases/", COMMIT, PUSH],
  ],
};

const GIT: Week = {
  name: "git",
  programs: ["git", "make"],
  files: { "Makefile": "out:\n\t@echo made\n", ".gitignore": "copy\nvendored\n" },
  beside: { ...RELEASES, "words/words.txt": "words\n" },
  days: [
    ["make", COMMIT, "git log --oneline -3"],
    [
      "git switch -q -C topic && echo topic >> topic.txt && git add -A && git commit -qm topic",
      "git switch -q -",
      PUSH,
    ],
    ["rm -rf vendored && git clone -q ../words vendored", "git merge -q --no-edit topic", COMMIT],
    [
      `if test -d copy; then git -C copy pull -q; else git clone -q http://${FILE_HOST}/words.git copy; fi`,
      "printf '#!/bin/sh\\nmake -s\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit",
      COMMIT,
    ],
    ["make", "git archive -o ../releases/work.tar HEAD", COMMIT, PUSH],
  ],
};

export const WEEKS: readonly Week[] = [C, GIT, GO, NPM, PYTHON, MAVEN, CARGO];

function ofProject(
  { name, programs, files }: Project,
  more: Readonly<Record<string, string>>,
): Pick<Week, "name" | "programs" | "files"> {
  return { name, programs: [...programs, "git", "curl"], files: { ...files, ...more } };
}
