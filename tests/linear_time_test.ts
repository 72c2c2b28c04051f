/**
 * Whatever reads foreign text (tool files, settings, output, configuration of git, messages, headers) takes time in
 * proportion to its length (S22). Texts are made of what patterns stumble over; those that take long are read again
 * at growing lengths, and their growth is judged.
 */
import assert from "node:assert/strict";
import { glob } from "../src/base/glob.ts";
import { closest } from "../src/base/suggest.ts";
import { shorten, visibleText, writtenOut } from "../src/base/visible_text.ts";
import { withoutTrailing } from "../src/base/text.ts";
import { isLoopback } from "../src/http/request_guard.ts";
import { postForm } from "../src/http/accept_header.ts";
import { pathOfUri } from "../src/bridge/isolated/scope_negotiation.ts";
import { loadCatalogFromTexts } from "../src/catalog/load/load.ts";
import { commandWords } from "../src/catalog/format/names.ts";
import { syntaxErrorOf } from "../src/catalog/load/positions.ts";
import { collapseCarriageReturns, stripAnsi } from "../src/operation/output/clean_text.ts";
import { OperationOutput } from "../src/operation/output/output.ts";
import { viewOutput } from "../src/operation/output/text_view.ts";
import { parseProcessList } from "../src/process/tree/process_list.ts";
import { searchPath } from "../src/system/search_path.ts";
import { sanitiseGitConfiguration } from "../src/sandbox/grants/git_configuration.ts";
import { deniedListeners } from "../src/sandbox/denials/denied_operations.ts";
import { pathsInCommand, pathsInOutput } from "../src/sandbox/denials/mentioned_paths.ts";
import { absolutePath } from "../src/system/paths.ts";
import { DEFAULT_CONFINEMENT } from "../src/sandbox/policy/confinement.ts";
import { withClosedPrograms } from "../src/sandbox/denials/closed_programs.ts";
import { tracedDenials } from "../src/sandbox/denials/denied_traces.ts";
import { evidenceIn, printsError } from "../src/sandbox/denials/printed_errors.ts";
import { readAddress } from "../src/service/result/resource_uri.ts";
import { onOneLine } from "../src/service/result/closing_line.ts";
import { needsOf } from "../src/cli/commands/doctor/project/project_needs.ts";
import { toolLines, toolTable } from "../src/cli/commands/list_tools/tool_table.ts";
import { PLAIN } from "../src/cli/terminal/colours.ts";
import { limitOf } from "../src/settings/flags/flag_values.ts";
import { redactText } from "../src/logging/redact.ts";
import { messageText, TerminalFilter } from "../src/cli/terminal/terminal_text.ts";
import { IgnoreRules } from "../src/system/tree/ignore_rules.ts";
import { asksForSecret, namesSecret } from "../src/upstream/asking/secret_words.ts";
import { ThreadTime } from "./_support/kernel/thread_time.ts";
import { describeWithSource } from "../src/cli/commands/validate/validate.ts";

type Reader = (text: string) => unknown;

const PLACES = { directory: "/scope", home: "/home/user" };
const OPEN_CONTEXT = {
  scopes: [],
  policy: {
    writable: [],
    grants: [],
    abi: 7,
    namespaces: true,
    keptCapabilities: [],
    confinement: {
      ...DEFAULT_CONFINEMENT,
      filter: true,
      ownNetwork: false,
      countedByNamespace: true,
      ceilings: {},
      tasksAtStart: 300,
    },
    user: { uid: 1000, gid: 1000 },
  },
};
/** As if a project had every file. */
const ANY_NAME: ReadonlySet<string> = Object.assign(new Set<string>(), { has: () => true });
const TABLE = { width: 80, colours: PLAIN };

const READERS: Readonly<Record<string, Reader>> = {
  visibleText,
  writtenOut,
  messageText,
  terminalFilter: (text) => new TerminalFilter().push(new TextEncoder().encode(text)),
  withoutTrailing: (text) => withoutTrailing(text, "./"),
  globName: glob("*a*a/**/[a-z./]*{a,b/,0*}*?x", "path"),
  globPattern: (text) => glob(text, "path")("a/b/.. .a"),
  ignoreRules: (text) =>
    IgnoreRules.NONE.within("", { git: text, isRepository: true }).ignores("a/b a", { isDirectory: false }),
  closest: (text) => closest(text, [text, "name"]),
  stripAnsi,
  collapseCarriageReturns,
  viewOutput: (text) => {
    const output = new OperationOutput();
    output.write(new TextEncoder().encode(text));
    return viewOutput(output, { bytes: 1000, lines: 10 }, { keepAnsi: false, headShare: 0.5 });
  },
  redactText,
  pathsInOutput: (text) => pathsInOutput(text, PLACES),
  pathsInCommand: (text) => pathsInCommand([text], PLACES),
  absolutePath: (text) => absolutePath(text, "/scope"),
  deniedListeners,
  evidenceIn: (text) => evidenceIn(text, PLACES),
  tracedDenials: (text) => tracedDenials({ words: [text], output: text }, OPEN_CONTEXT),
  withClosedPrograms: (text) =>
    withClosedPrograms([], { words: [text], output: text, end: { kind: "exited", code: 1 } }, OPEN_CONTEXT),
  needsOf: (text) => needsOf([{ path: "/p", below: "", names: ANY_NAME, text: () => text }]),
  printsError: (text) => printsError(text, ["EROFS", "EACCES"]),
  sanitiseGitConfiguration: (text) => sanitiseGitConfiguration(`[user]\nname = a${text}b`, []),
  parseProcessList: (text) => parseProcessList(`1 2 3 S ${text}b`),
  searchPath,
  isLoopback,
  postForm,
  pathOfUri,
  readAddress,
  shorten,
  onOneLine,
  limitOf,
  asksForSecret,
  namesSecret,
  commandWords,
  syntaxErrorOf: (text) => syntaxErrorOf("a.json", `{"a":${text}`, { fallback: "is broken" }),
  catalogField: (text) => loadCatalogFromTexts([{ file: "a.json", text: JSON.stringify(toolOf(text)) }]),
  sourceExcerpt: (text) => describeWithSource(PROBLEM, text, { excerpt: true, colours: PLAIN }),
  toolLines: (text) => toolLines([{ name: text, description: text, inputSchema: { type: "object" } }]),
  toolTable: (text) => toolTable([{ name: "a", description: text, inputSchema: { type: "object" } }], TABLE),
};

const PROBLEM = {
  file: "a.json",
  line: 1,
  column: 1,
  severity: "error",
  message: "It is wrong",
  pointer: "",
} as const;

function toolOf(text: string): unknown {
  const options = [{ name: text, type: "string", description: text }];
  return { name: "a", description: text, command: text, subcommand: [{ name: "b", description: text, options }] };
}

/** What is said again and again. */
const UNITS = [
  ..." \t\n\r\b./-:=@\"'[]{}(),\0\x1b\x9d\u202e",
  "a",
  "0",
  "\\",
  '\\"',
  "a.",
  "a b",
  "a@",
  "./",
  "../",
  "a/",
  "*a",
  "**/",
  "[a]*",
  "{a,",
  "-eyJaaaaaaaaa",
  "\x1b[",
  "\x1b[0",
  "\x1b]",
  "a\b",
  " a=",
  "token=",
  "--token ",
  "bearer ",
  "authorization: bearer ",
  "listen EACCES ",
  "http://",
  "http://a:",
  "host='",
  "file:",
  "-----BEGIN PRIVATE KEY-----",
  "-----END ",
  "Errno 3",
  '{"a":',
  "[a]\n",
  "\ud83d",
  "async ",
  "runs ",
  "your ",
  "token ",
];
/** Before and after them: what makes a match fail at the last moment. */
const FRAMES: readonly (readonly [string, string])[] = [
  ["", ""],
  ["", "\0"],
  ["", "x"],
  ["x", "\x1b"],
  ["a ", "\n!"],
  ['"', "]"],
  ["\x1b]", "@"],
  ["token='", "."],
];

/**
 * Lengths in UTF-16 units; what grows with the square takes 64 times as long for 8 times the length. Both are so
 * short that a run fits between two interruptions by other processes.
 */
const SHORT = 250;
const LONG = 8 * SHORT;
const MOST_TIMES = 24;
/** A reader that stays below it for the long text was not slow, whatever the machine did meanwhile. */
const WORTH_A_LOOK_MS = 1;
/** What else the machine does makes a run longer, never shorter: the least of so many counts. */
const MOST_RUNS = 20;

/** A match can begin only once a unit, so long ones need more text. */
function textOf(unit: string, [before, after]: readonly [string, string], length: number): string {
  return before + unit.repeat(Math.ceil(length / Math.min(2, unit.length))) + after;
}

/** The processor's time where it can be asked for: what else the machine does is none of it. */
const clock: { now(): number } = Deno.build.os === "linux" ? new ThreadTime() : performance;

async function timeOf(read: Reader, text: string): Promise<number> {
  const began = clock.now();
  await read(text);
  return clock.now() - began;
}

/** How many times as long the long text takes; 0: it took no time worth a look. */
async function timesOf(read: Reader, unit: string, frame: readonly [string, string]): Promise<number> {
  const [short, long] = [textOf(unit, frame, SHORT), textOf(unit, frame, LONG)];
  let leastLong = await timeOf(read, long);
  let leastShort = Infinity;
  let times = leastLong < WORTH_A_LOOK_MS ? 0 : Infinity;
  for (let run = 0; run < MOST_RUNS && times > MOST_TIMES; run++) {
    leastShort = Math.min(leastShort, await timeOf(read, short));
    leastLong = Math.min(leastLong, await timeOf(read, long));
    times = leastLong / Math.max(leastShort, WORTH_A_LOOK_MS / MOST_TIMES);
  }
  return times;
}

for (const [name, read] of Object.entries(READERS)) {
  Deno.test(`S22 ${name} takes time in proportion to a foreign text`, async () => {
    for (const unit of UNITS) {
      for (const frame of FRAMES) {
        const times = await timesOf(read, unit, frame);
        assert.ok(times <= MOST_TIMES, `${JSON.stringify([frame[0], unit, frame[1]])}: ${Math.round(times)} times`);
      }
    }
  });
}

Deno.test("S22 a pattern of quadratic time is detected (control)", async () => {
  const square = /\/+$/;
  const times = await timesOf((text) => square.exec(text), "/", ["", "x"]);
  assert.ok(times > MOST_TIMES, `${times} times`);
});
