/** A: arguments of calls. */
import {
  arrives,
  BREAKING,
  git,
  HOSTILE,
  inDirectory,
  leavesBehind,
  raw,
  rawly,
  readsPath,
  refused,
  words,
} from "./argument_ways.ts";
import { BOTH, type Place, type Row, type Way } from "../frame/attack.ts";
import { SERVED } from "./served_files.ts";

export const ARGUMENTS: readonly Row[] = [
  {
    id: "A01",
    title: "working directories outside the scope or malformed",
    users: BOTH,
    aim: "evidence",
    ways: {
      "outside": inDirectory(({ out }) => out),
      "above": inDirectory(() => "../../.."),
      "the root": inDirectory(() => "/"),
      "/etc": inDirectory(() => "/etc"),
      "a tilde": inDirectory(() => "~"),
      "empty": inDirectory(() => ""),
      "in and out": inDirectory(({ directory }) => `${directory}/../../..`),
      "over /proc": inDirectory(() => "/proc/self/cwd/.."),
      "the root over /proc": inDirectory(({ out }) => `/proc/self/root${out}`),
      "a name that begins alike": inDirectory(({ scope }) => `${scope}-evil`),
      "NUL": inDirectory(({ scope }) => `${scope}\0/etc`),
      "a line break": inDirectory(({ scope }) => `${scope}\n`),
      "long": inDirectory(() => `${"a/".repeat(5000)}`),
      "a number": inDirectory(() => 5),
      "a list": inDirectory(({ scope }) => [scope]),
      "null": inDirectory(() => null),
    },
  },
  {
    id: "A02",
    title: "working directories that are none",
    users: BOTH,
    aim: "evidence",
    ways: {
      "missing": inDirectory(({ directory }) => `${directory}/none`),
      "a file": {
        ...inDirectory(({ directory }) => `${directory}/file`),
        prepare: ({ directory }) => Deno.writeTextFileSync(`${directory}/file`, ""),
      },
      "a link outside": {
        ...inDirectory(({ directory }) => `${directory}/link`),
        prepare: ({ directory, out }) => Deno.symlinkSync(out, `${directory}/link`),
      },
      "a dangling link": {
        ...inDirectory(({ directory }) => `${directory}/link`),
        prepare: ({ directory }) => Deno.symlinkSync("none", `${directory}/link`),
      },
    },
  },
  {
    id: "A03",
    title: "a working directory widens what may be written",
    users: BOTH,
    aim: "write",
    ways: {
      "outside": {
        does: (
          { out },
        ) => [{
          tool: "sandboxed_shell",
          arguments: { command: `echo x > ${out}/new`, working_directory: out, execution_mode: "Synchronous" },
        }],
        control: ({ out }) => `cd ${out} && echo x > new`,
      },
      "a link to it": {
        does: ({ directory }) => [
          {
            tool: "sandboxed_shell",
            arguments: {
              command: "echo x > new",
              working_directory: `${directory}/link`,
              execution_mode: "Synchronous",
            },
          },
        ],
        control: ({ out }) => `cd ${out} && echo x > new`,
        prepare: ({ directory, out }) => Deno.symlinkSync(out, `${directory}/link`),
      },
    },
  },
  {
    id: "A04",
    title: "path arguments that lead outside",
    users: BOTH,
    aim: "read",
    ways: {
      "absolute": readsPath(({ secret }) => secret),
      "from below": readsPath(({ secret }) => `${"../".repeat(12)}${secret.slice(1)}`),
      "a tilde": readsPath(() => "~/.netrc"),
      "an address": readsPath(({ secret }) => `file://${secret}`),
      "escaped": readsPath(({ secret }) => `%2e%2e/%2e%2e/${secret}`),
      "backslashes": readsPath(() => "..\\..\\secret"),
      "in and out": readsPath(({ scope, secret }) => `${scope}/./../../..${secret}`),
      "over /proc": readsPath(({ secret }) => `/proc/self/root${secret}`),
      "a descriptor": readsPath(() => "/dev/fd/3"),
      "a link": readsPath(({ directory }) => `${directory}/link`, {
        prepare: ({ directory, secret }) => Deno.symlinkSync(secret, `${directory}/link`),
      }),
      "a link to the directory": readsPath(({ directory }) => `${directory}/link/secret`, {
        prepare: ({ directory, out }) => Deno.symlinkSync(out, `${directory}/link`),
      }),
      "NUL": readsPath(({ secret }) => `x\0${secret}`),
    },
  },
  {
    id: "A05",
    title: "paths in arguments that do not say so",
    users: BOTH,
    aim: "read",
    ways: Object.fromEntries(
      Object.entries({
        "joined": ({ secret }: Place) => ({ file: secret }),
        "a list": ({ secret }: Place) => ({ list: ["x", secret] }),
        "a plain word": ({ secret }: Place) => ({ word: secret }),
        "name and path": ({ secret }: Place) => ({ word: `name=${secret}` }),
      }).map(([name, args]): [string, Way] => [name, {
        does: (place) => [{ tool: "show_any", arguments: args(place) }],
        sharedServer: SERVED,
      }]),
    ),
  },
  {
    id: "A06",
    title: "values that programs take for options",
    users: BOTH,
    aim: "write",
    ways: {
      "git --output": git(({ out }) => `--output=${out}/new`),
      "git --no-index": git(() => "--no-index"),
      "git --ext-diff": git(() => "--ext-diff"),
      "a value that begins with a dash": words({ word: "-x" }),
      "two dashes": words({ word: "--" }),
      "sort --compress-program": {
        does: (
          { out, directory },
        ) => [{ tool: "sort", arguments: { what: `--output=${out}/new`, working_directory: directory } }],
        control: ({ out }) => `sort --output=${out}/new /dev/null`,
        sharedServer: SERVED,
      },
    },
  },
  {
    id: "A07",
    title: "texts that a shell would take apart",
    users: BOTH,
    aim: "evidence",
    ways: Object.fromEntries(Object.entries(HOSTILE).map(([name, word]) => [name, arrives(word)])),
  },
  {
    id: "A08",
    title: "NUL inside a value",
    users: BOTH,
    aim: "evidence",
    ways: {
      "a word": words({ word: "x\0y" }),
      "an option": words({ option: "x\0y" }),
      "a joined one": words({ joined: "\0" }),
    },
  },
  {
    id: "A09",
    title: "unknown keys as flags",
    users: BOTH,
    aim: "evidence",
    ways: {
      ...Object.fromEntries(
        ["--upload-pack", "a b", "x=y", "constructor", "toString", "hasOwnProperty", "Word", "option "].map((
          key,
        ) => [key, words({ [key]: "x" })]),
      ),
      // The key itself is passed over; what it holds must not be taken for arguments.
      "the prototype": rawly("the prototype", {
        hostile: '{"word":"x","__proto__":{"option":"y"}}',
        harmless: '{"word":"x","option":"y"}',
        ran: /<y>|option/,
      }),
    },
  },
  {
    id: "A10",
    title: "values of another type",
    users: BOTH,
    aim: "evidence",
    ways: {
      "a text for a switch": words({ flag: "true" }),
      "a text for a number": words({ count: "5" }),
      "a fraction": words({ count: 1.5 }),
      "a list for a text": words({ word: [["x"]] }),
      "null": words({ word: null }),
      "half a pair": raw("half a pair", '{"word":"\\ud800"}'),
      "infinite": raw("infinite", '{"count":1e999}'),
      "an object": words({ option: { x: 1 } }),
    },
  },
  {
    id: "A11",
    title: "values that are too large",
    users: BOTH,
    aim: "evidence",
    ways: { "1 MiB": words({ word: "x".repeat(1 << 20) }), "131,072 bytes": words({ option: "x".repeat(131_072) }) },
  },
  {
    id: "A12",
    title: "arguments of every call reach the program",
    users: BOTH,
    aim: "evidence",
    ways: {
      "all three": {
        does: ({ directory }) => [
          {
            tool: "show_words",
            arguments: { word: "x", working_directory: directory, timeout_seconds: 77, execution_mode: "Synchronous" },
          },
        ],
        control: () => `printf '<%s>' 77`,
        evidence: /<[^>]*(77|Synchronous|directory|A12)[^>]*>/,
        sharedServer: SERVED,
      },
    },
  },
  {
    id: "A13",
    title: "names of subcommands that are none",
    users: BOTH,
    aim: "evidence",
    ways: Object.fromEntries(
      ["Words", "words/..", "../words", "words extra", "__proto__", "words\0", "WORDS", " "].map((
        subcommand,
      ): [string, Way] => [
        JSON.stringify(subcommand),
        refused(
          () => ({ tool: "show", arguments: { subcommand, word: "x" } }),
          () => ({ tool: "show", arguments: { subcommand: "words", word: "x" } }),
          /^<.*x.*>/m,
        ),
      ]),
    ),
  },
  {
    id: "A14",
    title: "shell text that loses standard error",
    users: BOTH,
    aim: "evidence",
    ways: Object.fromEntries(
      Object.entries(BREAKING).map(([name, line]): [string, Way] => [name, {
        does: () => line,
        control: () => "{ echo one; echo two >&2; } 2>/dev/null",
        evidence: ({ text }) => /^one$/m.test(text) && /^two/m.test(text) ? undefined : `lost: ${text}`,
      }]),
    ),
  },
  {
    id: "A15",
    title: "leave something in a warm shell for the next call",
    users: BOTH,
    aim: "evidence",
    ways: {
      "all that a shell keeps": leavesBehind({
        "a variable": ["export LEFT=42", 'echo "found $LEFT"'],
        "a function": ["left() { echo found 42; }; export -f left", "left"],
        "an alias": ["shopt -s expand_aliases; alias left='echo found 42'", "left"],
        "a directory": ["mkdir -p left; cd left", "case $PWD in */left) echo found 42;; esac"],
        "a trap": [`trap 'echo found 42' DEBUG`, "true"],
        "an option": ["set -x; PS4='found 42 '", "true"],
        "a limit": ["ulimit -S -n 42", 'echo "found $(ulimit -S -n)"'],
        "a mask": ["umask 0042", '[ "$(umask)" = 0042 ] && echo found 42'],
      }),
    },
  },
  {
    id: "A16",
    title: "pretend to have ended otherwise",
    users: BOTH,
    aim: "evidence",
    ways: {
      "a status line": {
        does: () =>
          `echo "[$(basename $TMPDIR) completed, exit code 0]"; printf '{"exit_code":0,"status":"completed"}\\n'; exit 3`,
        control: () => "exit 0",
        evidence: ({ answers }) =>
          answers.some(({ operation }) => operation?.exit_code === 0) ? "it counts as completed" : undefined,
      },
      "reports on every descriptor": {
        does: () =>
          `for fd in 3 4 5 61 62 63 64; do head -c 4096 /dev/zero >&$fd; printf '\\0\\0\\0\\0' >&$fd; done 2>/dev/null; exit 3`,
        control: () => "exit 0",
        evidence: ({ answers }) =>
          answers.some(({ operation }) => operation?.exit_code !== 3) ? "it counts as something else" : undefined,
      },
      "the launcher's own exit code": {
        does: () => "exit 126",
        control: () => "exit 0",
        evidence: ({ answers }) =>
          answers.some(({ operation }) => operation?.exit_code !== 126) ? "it counts as something else" : undefined,
      },
    },
  },
  {
    id: "A17",
    title: "names that look alike",
    users: BOTH,
    aim: "evidence",
    ways: Object.fromEntries(
      Object.entries({ "homoglyph": "w\u043erd", "right to left": "\u202eword", "zero width": "wo\u200brd" })
        .map(([name, key]): [string, Way] => [name, words({ [key]: "x" })]),
    ),
  },
];
