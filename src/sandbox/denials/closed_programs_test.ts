import assert from "node:assert/strict";
import type { Denial } from "../../base/command/denial.ts";
import { DEFAULT_CONFINEMENT } from "../policy/confinement.ts";
import { withClosedPrograms } from "./closed_programs.ts";

const CONTEXT = {
  scopes: ["/scope"],
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
const NO_DAEMON = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.\n";
const NOT_PERMITTED = "ptrace: Operation not permitted.\n";

interface Row {
  readonly output: string;
  readonly code?: number;
  readonly denials?: readonly Denial[];
}

/** The programs, or reasons without one, that are told of; paths of other denials. */
function told(
  line: string | readonly string[],
  { output, code = 1, denials = [] }: Row,
  context: typeof CONTEXT & { readonly hasSshKeys?: boolean } = CONTEXT,
) {
  const command = { words: [line].flat(), output, end: { kind: "exited", code } as const };
  return withClosedPrograms(denials, command, context).map((one) => "path" in one ? one.path : one.subject);
}

Deno.test("S15 withClosedPrograms() tells of a program that the command ran, whatever the exit code", () => {
  for (
    const line of ["docker ps", "cd a && /usr/bin/docker ps; true", "A=1 timeout 5 docker ps | tail -1", "(docker ps)"]
  ) {
    assert.deepStrictEqual([line, told(line, { output: NO_DAEMON, code: 0 })], [line, ["docker"]]);
  }
  assert.deepStrictEqual(told(["docker", "ps"], { output: NO_DAEMON, code: 0 }), ["docker"]);
  assert.deepStrictEqual(told(["bash", "-c", "gdb -p 1"], { output: NOT_PERMITTED, code: 0 }), ["gdb"]);
  assert.deepStrictEqual(told("make up", { output: NO_DAEMON }), ["docker"]);
  assert.deepStrictEqual(told("git commit -m x", { output: "error: gpg failed to sign the data\n", code: 128 }), [
    "git",
  ]);
});

Deno.test("S15 withClosedPrograms() tells of a login without keys, where commands have none", () => {
  const output = "Host key verification failed.\nfatal: Could not read from remote repository.\n";
  const refused = "me@example.test: Permission denied (publickey,keyboard-interactive).\n";
  const rows = [["git fetch", output], ["cargo build", output], ["ssh example.test", refused]] as const;
  for (const [line, text] of rows) {
    assert.deepStrictEqual([line, told(line, { output: text, code: 128 })], [line, [
      line === "cargo build" ? "ssh" : line.split(" ")[0],
    ]]);
    assert.deepStrictEqual(told(line, { output: text, code: 128 }, { ...CONTEXT, hasSshKeys: true }), []);
  }
  assert.deepStrictEqual(told("cat log", { output, code: 0 }), []);
});

Deno.test("S15 withClosedPrograms() says nothing without the trace, or of a text that is only printed", () => {
  const rows: readonly (readonly [string, Row])[] = [
    ["docker build .", { output: "unknown flag: --x\n" }],
    ["grep docker log", { output: NO_DAEMON, code: 0 }],
    ["make up", { output: NO_DAEMON, code: 0 }],
    ["gdb ./none", { output: "./none: No such file or directory.\n" }],
    ["strace --x", { output: "strace: unrecognized option '--x'\n" }],
    ["echo gdb; false", { output: NOT_PERMITTED }],
    ["mount", { output: "mount: words\n", code: 0 }],
    ["cargo build", { output: "error[E0001]\n" }],
  ];
  for (const [line, row] of rows) assert.deepStrictEqual([line, told(line, row)], [line, []]);
  const confinement = { ...CONTEXT.policy.confinement, unixSockets: "allow" } as const;
  const open = { ...CONTEXT, policy: { ...CONTEXT.policy, confinement } };
  assert.deepStrictEqual(told("docker ps", { output: NO_DAEMON }, open), []);
});

Deno.test("S15 withClosedPrograms() takes the place of denials that say the same, with no flag", () => {
  const path = (name: string): Denial => ({ path: name, access: ["write"], scope: [], flags: ["--write /x"] });
  const reason = "x";
  const socket = (subject: string): Denial => ({
    operation: "unix_socket",
    subject,
    reason,
    scope: [],
    flags: ["--x"],
  });
  const denials = [path("/home/notes"), socket("/run/docker.sock"), socket("AF_UNIX")];
  assert.deepStrictEqual(told("docker ps", { output: NO_DAEMON, denials }), ["docker", "/home/notes"]);
  const output = "error: could not create temp file /home/x/.rustup/tmp/y: Read-only file system (os error 30)\n";
  const [one, ...more] = withClosedPrograms([path("/home/x/.rustup/tmp/y")], {
    words: ["rustup toolchain install 1.70"],
    output,
    end: { kind: "exited", code: 1 },
  }, CONTEXT);
  const said = "tool chains are not for commands; a person can install them with rustup";
  assert.deepStrictEqual([one?.flags, one !== undefined && "reason" in one && one.reason, more], [[], said, []]);
});
