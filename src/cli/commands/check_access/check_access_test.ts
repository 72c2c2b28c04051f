import assert from "node:assert/strict";
import { UsageError } from "../../../base/errors.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { checkAccess } from "./check_access.ts";

Deno.test("L10 checkAccess() says what is wrong with its words before it composes a sandbox", async () => {
  const refused: readonly (readonly [operands: readonly string[], said: RegExp])[] = [
    [[""], /^Name a path or a host/],
    [["/etc", "read", "more"], /^Cannot use "more": check-access takes one path or host/],
    [["/etc", "look"], /^Cannot check "look": expected one of read, list, write/],
  ];
  for (const [operands, message] of refused) {
    const context = { operands } as unknown as CommandContext; // it reads no more
    await assert.rejects(
      checkAccess(context),
      (thrown) => thrown instanceof UsageError && message.test(thrown.message),
    );
  }
});
