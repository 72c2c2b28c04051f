import { makeSeenDirectory } from "../../src/base/_support/seen_directory.ts";
import { machineProblem, startMachine } from "./other_machine.ts";
import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const REFUSED = /expected a text that matches|would take for an option/;
const FILES = "mkdir -p tree/deep && echo one > tree/one && echo two > tree/deep/two && echo deep > patterns";
const UNHARMED = "test ! -e pwned";
const directory = makeSeenDirectory("ahma-ssh-");
const there = `other:${directory}`;

/** Each leaf of tools/ssh.json; the other machine is this one. */
const ROWS: readonly Row[] = [
  {
    tool: "ssh_run",
    args: { host: "other", command: 'echo "it\'s $((6 * 7)) there"; cat', stdin: "sent\n" },
    expected: /^it's 42 there\nsent$/m,
  },
  // The path is closed here as well, but it is the other machine that said so.
  {
    tool: "ssh_run",
    args: { host: "other", command: `cat ${directory}` },
    fails: true,
    expected: /^cat: \S+: Is a directory\n\[exit code 1, [^\]]*\]$/,
  },
  { tool: "ssh_run", args: { host: "root@127.0.0.1", port: 1, command: "true" }, fails: true, expected: /port 1: / },
  {
    tool: "ssh_run",
    setup: "! ssh '-oProxyCommand=touch pwned' other true && rm pwned",
    args: { host: "-oProxyCommand=touch pwned", command: "true" },
    fails: true,
    expected: REFUSED,
    effect: UNHARMED,
  },
  // ssh looks for options behind the host too, but for those that -- ends.
  {
    tool: "ssh_run",
    setup: "! ssh other '-oProxyCommand=touch pwned' true && rm pwned",
    args: { host: "other", command: "-oProxyCommand=touch pwned" },
    fails: true,
    expected: REFUSED,
    effect: UNHARMED,
  },
  {
    tool: "ssh_sync",
    setup: `${FILES} && echo three > tree/deep/three`,
    args: { files: ["tree/"], to: `${there}/sent`, exclude: ["one"], "exclude-from": "patterns", delete: true },
  },
  {
    tool: "ssh_sync",
    setup: FILES,
    args: { files: ["tree"], to: `${there}/sent`, "dry-run": true },
    expected: /tree\/deep\/two$/m,
  },
  { tool: "ssh_sync", args: { files: ["-etouch pwned"], to: `${there}/x` }, fails: true, effect: UNHARMED },
  { tool: "ssh_sync", args: { files: ["a"], to: "other::module" }, fails: true, expected: REFUSED },
  { tool: "ssh_sync", args: { files: ["a"], to: "rsync://other/module" }, fails: true, expected: REFUSED },
  { tool: "ssh_fetch", args: { from: `${there}/user.pub`, to: "key" }, effect: "grep -q ssh-ed25519 key" },
  {
    tool: "ssh_fetch",
    args: { from: `${there}/sent` },
    effect: "test -d sent && test ! -e sent/one && test ! -e sent/deep",
  },
  { tool: "ssh_fetch", args: { from: "-oProxyCommand=touch pwned:x" }, fails: true, expected: REFUSED },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  problem: machineProblem(),
  async start(bench, used) {
    used.defer(() => Deno.remove(directory, { recursive: true }));
    const machine = used.use(await startMachine(directory));
    return { prefix: await machine.admit(bench), flags: ["--allow-read-sensitive", `${bench.home}/.ssh`] };
  },
};
