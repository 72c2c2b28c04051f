import assert from "node:assert/strict";
import { parseCommandLine } from "./flags/parse_command_line.ts";
import { readInvocation } from "./settings.ts";

Deno.test("S42 sshAgentProblem() refuses flags that contradict each other, and hosts that are none", () => {
  const problemOf = (words: readonly string[]) => {
    const line = parseCommandLine(words);
    const read = line.ok ? readInvocation(line.value, { environment: {}, cores: 2 }) : line;
    return read.ok ? "" : read.problem;
  };
  const agent = ["--ssh-agent", "a"];
  assert.match(problemOf([...agent, "--ssh-hosts", "x.test"]), /^$/);
  assert.match(problemOf(["--ssh-hosts", "x.test"]), /^Cannot use --ssh-hosts without --ssh-agent KEY/);
  assert.match(problemOf([...agent, "--ssh-hosts", "x y"]), /"x y" is not a host such as/);
  assert.match(problemOf([...agent, "--no-sandbox"]), /^Cannot use --ssh-agent with --no-sandbox/);
  assert.match(problemOf([...agent, "--unix-sockets", "allow"]), /^Cannot use --ssh-agent with --unix-sockets allow/);
});
