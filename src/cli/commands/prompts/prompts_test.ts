import assert from "node:assert/strict";
import { UsageError } from "../../../base/errors.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { prompts } from "./prompts.ts";

Deno.test("L1 prompts() says what is wrong with its words before it reads a prompt", async () => {
  const refused: readonly (readonly [operands: readonly string[], said: string])[] = [
    [["render", "talk", "who"], 'Cannot use "who": write an argument as in "file=src/main.ts"'],
    [["show"], 'Cannot show without a name: "ahma_mcp prompts show NAME"'],
    [["show", "one", "two"], 'Unexpected argument "two": "show" takes one name'],
    [["list", "x"], 'Unexpected argument "x": "list" takes no arguments'],
  ];
  for (const [operands, said] of refused) {
    await assert.rejects(prompts({ operands } as unknown as CommandContext), new UsageError(said)); // it reads no more
  }
});
