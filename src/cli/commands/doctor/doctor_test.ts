import assert from "node:assert/strict";
import { parseCommandLine } from "../../../settings/flags/parse_command_line.ts";
import { readInvocation } from "../../../settings/settings.ts";
import { doctor } from "./doctor.ts";

async function run(words: readonly string[]): Promise<number> {
  const line = parseCommandLine(["doctor", ...words]);
  const invocation = line.ok ? readInvocation(line.value, { environment: {}, cores: 1 }) : line;
  assert.ok(invocation.ok && invocation.value.kind === "run", words.join(" "));
  const { settings, warnings, line: { operands, flags } } = invocation.value;
  const stop = AbortSignal.abort();
  const settingsProblem = undefined;
  return await doctor({ settings, warnings, operands, flags, stop, environment: {}, settingsProblem, wrapped: false });
}

Deno.test("L6 L11 doctor explains words that mean nothing together, and why it cannot tell what was denied", async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["--since", "1h"], /^Use --since together with --denials/],
    [["--denials", "--project"], /^Choose one of --project and --denials/],
    [["--project", "--sandbox"], /^Choose one of --sandbox and --project/],
    [["--denials"], /^Cannot tell what was denied: no audit log is kept\. Start servers with --audit-log/],
    [["--denials", "--since", "soon", "--audit-log", "/nowhere"], /^Cannot use --since "soon"/],
    [["--denials", "--audit-log", "/nowhere/log"], /^Cannot read the audit log /],
  ];
  for (const [words, message] of cases) await assert.rejects(() => run(words), { message });
});
