import assert from "node:assert/strict";
import { readInvocation } from "../settings.ts";
import { parseCommandLine } from "./parse_command_line.ts";

Deno.test("S35 askingProblem() refuses questions where none could be answered, and says what to do", () => {
  const problemOf = (words: string) => {
    const line = parseCommandLine(words.split(" "));
    const read = line.ok ? readInvocation(line.value, { environment: {}, cores: 2 }) : line;
    return read.ok ? undefined : read.problem;
  };
  const [isolated, names] = ["--mode http --session-isolation", "--network packages"];
  const rows: readonly (readonly [string, string | undefined])[] = [
    [`--ask network ${names}`, undefined],
    [`--ask network ${names} ${isolated}`, undefined],
    ["--ask ssh --ssh-agent me", undefined],
    ["--ask read --no-sandbox", "Cannot ask for read (--ask) with --no-sandbox: nothing is denied to commands"],
    [
      `--ask network ${names} --mode http`,
      "Cannot ask for network (--ask) where clients share one sandbox: one person would answer for all. " +
      "Use --session-isolation",
    ],
    [
      "--ask ssh",
      "Cannot ask for ssh (--ask) without --ssh-agent KEY, which names what commands may log in with",
    ],
    [
      "--ask network --network localhost",
      "Cannot ask for network (--ask) with --network localhost: hosts are asked for beyond a list. " +
      "Use --network packages, for example",
    ],
  ];
  assert.deepStrictEqual(rows.map(([words]) => problemOf(words)), rows.map(([, problem]) => problem));
  assert.match(
    problemOf("--ask reads") ?? "",
    /"reads" is not supported, expected "read" or "write" or "network" or "protected"/,
  );
});
