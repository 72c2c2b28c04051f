import { testCache } from "../_support/packages/npm_tools.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

/** Compiled packages of the standard library, kept for the next run. */
const GOCACHE = `${testCache()}/go-build`;
await Deno.mkdir(GOCACHE, { recursive: true });

const PROGRAM =
  '//go:generate echo generated\\npackage main\\nimport "os"\\n// Answer says it.\\nfunc Answer() int { return 42 }\\n' +
  'func main() { for _, word := range os.Args { os.Stdout.WriteString("[" + word + "]") } }\\n';
const TESTS = 'package main\\nimport "testing"\\nfunc TestAnswer(t *testing.T) { if Answer() != 42 { t.Fatal() } }\\n';
const MODULE = `printf 'module example.invalid/work\\ngo 1.19\\n' > go.mod && printf '${PROGRAM}' > main.go`;
const TESTED = `${MODULE} && printf '${TESTS}' > main_test.go`;
const REFUSED = /would take for an option|expected a text that matches/;

/** Before 1.20, Go brought its own library compiled for the default flags. */
const COMPILED = 'ls "$(go env GOROOT)"/pkg/*_*/os.a > /dev/null 2>&1';
const isCompiled = (await new Deno.Command("sh", { args: ["-c", COMPILED] }).output()).success;
/** Where it compiles that library, most of the time goes there: not what vet or a debugger needs, and nothing inlined. */
const GOFLAGS = `-vet=off${isCompiled ? "" : " -gcflags=all=-l -ldflags=-w"}`;

/** Each leaf of tools/go.json. Nothing here asks the network. */
const ROWS: readonly Row[] = [
  { tool: "go_build", setup: MODULE, args: { output: "out", tags: "x,y", packages: ["."] }, effect: "./out" },
  { tool: "go_build", setup: MODULE, args: { packages: ["-toolexec=touch"] }, fails: true, expected: REFUSED },
  {
    tool: "go_test",
    setup: TESTED,
    args: { run: "Answer", verbose: true, count: 1, short: true, failfast: true, timeout: "30s", packages: ["./..."] },
    expected: /^--- PASS: TestAnswer/m,
  },
  { tool: "go_test", setup: TESTED, args: { packages: [".", "-exec=touch"] }, fails: true, expected: REFUSED },
  {
    tool: "go_run",
    setup: MODULE,
    args: { program_args: ["-exec=touch", "a b", "--"] },
    expected: /\[-exec=touch\]\[a b\]\[--\]/,
  },
  { tool: "go_run", setup: MODULE, args: { package: "-exec=touch" }, fails: true, expected: REFUSED },
  { tool: "go_vet", setup: MODULE, args: { tags: "x", packages: ["."] } },
  // The program takes this one for an option even after --.
  { tool: "go_vet", setup: MODULE, args: { packages: ["-vettool=./x"] }, fails: true, expected: REFUSED },
  {
    tool: "go_fmt",
    setup: `${MODULE} && printf 'package main\\nvar  x=1\\n' > ugly.go`,
    expected: /^ugly\.go$/m,
    effect: "grep -qx 'var x = 1' ugly.go",
  },
  { tool: "go_generate", setup: MODULE, args: { run: "echo", packages: ["."] }, expected: /^generated$/m },
  { tool: "go_get", setup: MODULE, args: { packages: ["no-such-thing@v1"] }, fails: true, expected: /no-such-thing/ },
  { tool: "go_install", setup: MODULE, args: { packages: ["."] }, effect: "work x | grep -q '\\[x\\]'" },
  { tool: "go_list", setup: MODULE, args: { f: "{{.Name}} {{.Doc}}", packages: ["./..."] }, expected: /^main/m },
  { tool: "go_list", setup: MODULE, args: { modules: true, json: true }, expected: /"Path": "example\.invalid\/work"/ },
  { tool: "go_doc", setup: MODULE, args: { all: true, symbol: "Answer" }, expected: /Answer says it\./ },
  { tool: "go_env", args: { json: true, names: ["GOOS"] }, expected: /"GOOS": "\w+"/ },
  { tool: "go_mod_init", args: { module: "example.invalid/new" }, effect: "grep -q example.invalid/new go.mod" },
  { tool: "go_mod_tidy", setup: MODULE },
  { tool: "go_mod_download", setup: MODULE },
  { tool: "go_mod_why", setup: MODULE, args: { packages: ["os"] }, expected: /^example\.invalid\/work\nos$/m },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "go",
  start: () => ({
    flags: ["--env", "GOCACHE", "--write", GOCACHE, "--env", "GOFLAGS"],
    environment: { GOCACHE, GOFLAGS, GOPROXY: "off" },
  }),
};
