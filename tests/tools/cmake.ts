import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const LISTS = "cmake_minimum_required(VERSION 3.20)\\nproject(work NONE)\\nenable_testing()\\n" +
  'add_custom_target(greet COMMAND ${CMAKE_COMMAND} -E echo "greeted ${NAME}")\\n' +
  "add_test(NAME good COMMAND ${CMAKE_COMMAND} -E true)\\nadd_test(NAME bad COMMAND ${CMAKE_COMMAND} -E false)\\n" +
  "install(FILES CMakeLists.txt DESTINATION share COMPONENT text)\\n";
const PRESETS =
  `echo '{"version":3,"configurePresets":[{"name":"dev","generator":"Unix Makefiles","binaryDir":"made"}]}' > CMakePresets.json`;
const SOURCE = `printf '${LISTS}' > CMakeLists.txt && ${PRESETS} && echo 'file(WRITE pwned "")' > evil.cmake`;
const PREPARED = `mkdir configured && cd configured && ${SOURCE} && cmake -S . -B build -G 'Unix Makefiles' -DNAME=you`;
/** A build directory names its own place. */
const CONFIGURED =
  `cp -a ../configured/. . && sed -i "s,/configured,/\${PWD##*/},g" build/CMakeCache.txt && cmake build`;

/** Each leaf of tools/cmake.json. */
const ROWS: readonly Row[] = [
  {
    tool: "cmake_configure",
    setup: SOURCE,
    args: { source: ".", build: "b", generator: "Unix Makefiles", define: ["NAME=a b"], fresh: true },
    effect: "grep -qx 'NAME:UNINITIALIZED=a b' b/CMakeCache.txt",
  },
  { tool: "cmake_configure", setup: SOURCE, args: { preset: "dev" }, effect: "test -e made/Makefile" },
  {
    tool: "cmake_configure",
    setup: `${SOURCE} && cmake -P evil.cmake && rm pwned`,
    args: { generator: "-Pevil.cmake" },
    fails: true,
    effect: "test ! -e pwned",
  },
  {
    tool: "cmake_configure",
    setup: SOURCE,
    args: { define: ["-Pevil.cmake"] },
    fails: true,
    effect: "test ! -e pwned",
  },
  { tool: "cmake_configure", setup: SOURCE, args: { source: "-Pevil.cmake" }, fails: true, effect: "test ! -e pwned" },
  {
    tool: "cmake_build",
    setup: CONFIGURED,
    args: {
      directory: "build",
      target: ["greet", "all"],
      config: "Debug",
      parallel: 2,
      "clean-first": true,
      verbose: true,
    },
    expected: /greeted you/,
  },
  { tool: "cmake_build", args: { directory: "-Pevil.cmake" }, fails: true, expected: /take for an option/ },
  {
    tool: "cmake_test",
    setup: CONFIGURED,
    args: {
      directory: "build",
      "tests-regex": "o|a",
      "exclude-regex": "bad",
      "build-config": "Debug",
      parallel: 2,
      verbose: true,
    },
    expected: /100% tests passed, 0 tests failed out of 1/,
  },
  {
    tool: "cmake_test",
    setup: `${CONFIGURED} && ! ctest --test-dir build`,
    args: { directory: "build", "rerun-failed": true },
    fails: true,
    expected: /0% tests passed, 1 tests failed out of 1/,
  },
  {
    tool: "cmake_test",
    setup: CONFIGURED,
    args: { directory: "build", "show-only": true },
    expected: /Total Tests: 2/,
  },
  {
    tool: "cmake_install",
    setup: CONFIGURED,
    args: { directory: "build", prefix: "to", config: "Debug", component: "text" },
    effect: "test -e to/share/CMakeLists.txt",
  },
  { tool: "cmake_presets", setup: SOURCE, expected: /"dev"/ },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "cmake",
  prepared: PREPARED,
};
