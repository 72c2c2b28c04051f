import assert from "node:assert/strict";
import { UsageError } from "../../../base/errors.ts";
import { parseCommandLine } from "../../../settings/flags/parse_command_line.ts";
import { readInvocation } from "../../../settings/settings.ts";
import { grants } from "./grants.ts";

async function run(words: readonly string[]): Promise<number> {
  const line = parseCommandLine(["grants", ...words]);
  const invocation = line.ok ? readInvocation(line.value, { environment: {}, cores: 1 }) : line;
  assert.ok(invocation.ok && invocation.value.kind === "run", words.join(" "));
  const { settings, warnings, line: { operands, flags } } = invocation.value;
  const stop = AbortSignal.abort();
  return await grants({
    settings,
    warnings,
    operands,
    flags,
    stop,
    environment: {},
    settingsProblem: undefined,
    wrapped: false,
  });
}

Deno.test("L12 grants explains words that mean nothing, whatever is allowed", async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["list", "g_1"], /^Cannot list "g_1" alone/],
    [["remove"], /^Cannot "remove" grants: expected one of list, revoke, allow, deny/],
    [["revoke"], /^Name the grants to take back, or the directory of a project, or give --all/],
    [["revoke", "g_1", "--all"], /^Name the grants to take back/],
    [["allow", "q_1", "no"], /^Cannot use "no": say allow ID \[once\|session\|project\]/],
    [["deny", "q_1", "once"], /^Cannot use "once": say deny ID/],
  ];
  for (const [words, message] of cases) {
    await assert.rejects(() => run(words), (thrown) => thrown instanceof UsageError && message.test(thrown.message));
  }
});
