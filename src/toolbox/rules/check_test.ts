import assert from "node:assert/strict";
import { TestTree } from "../find/_support/trees.ts";
import type { ToolResult } from "../frame/messages.ts";
import { checkRules } from "./check.ts";
import { recordVerdicts } from "./verdict.ts";

Deno.test("K8 a worker without a directory for a cache keeps verdicts as long as it lives", async () => {
  using bench = new TestTree({ ".ahma/rules/kind.md": "---\nseverity: error\n---\nIs it kind?\n", "a.txt": "no\n" });
  const context = { project: bench.project, signal: new AbortController().signal, progress: () => {} };
  const textOf = ({ content: [part] }: ToolResult) => part?.type === "text" ? part.text : "";
  const check = async () => textOf(await checkRules({ rule_names: ["kind"], file_paths: ["a.txt"] }, context));
  const [, id = ""] = /review_id (\S+)/.exec(await check()) ?? [];
  const findings = [{ line: 1, message: "It is not" }];
  await recordVerdicts({ verdicts: [{ review_id: id, pass: false, findings }] }, context);
  assert.equal(await check(), "a.txt:1:1 error kind It is not\n1 error; 1 rule, 1 file.");
});
