/** First module of a worker: a separate program inside the sandbox, started by the server. */
import { TOOLS as CHANGES } from "../changes/git_changes.ts";
import { TOOLS as FILES } from "../files/tools.ts";
import { outlineGenerate } from "../outline/outline_generate.ts";
import type { NativeTool } from "../project/native_tool.ts";
import { checkRules } from "../rules/check.ts";
import { createRule } from "../rules/create.ts";
import { listRules } from "../rules/list.ts";
import { recordVerdicts } from "../rules/verdict.ts";
import { TOOLS as SEARCH } from "../search/tools.ts";
import { webFetch } from "../web/web_fetch.ts";
import { webSearch } from "../web/web_search.ts";
import { TOOLS as WRITING } from "../writing/tools.ts";
import { serveCalls } from "./serve.ts";

/** The code of native tools but those for notes; packages that only some of them need are loaded by their first call. */
const TOOLS: Readonly<Record<string, NativeTool>> = {
  ...FILES,
  ...WRITING,
  ...CHANGES,
  ...SEARCH,
  outline_generate: outlineGenerate,
  rules_check: checkRules,
  rules_create: createRule,
  rules_list: listRules,
  rules_verdict: recordVerdicts,
  web_fetch: webFetch,
  web_search: webSearch,
};

// The runtime has read it; programs that the worker starts have bounds of their own.
Deno.env.delete("DENO_V8_FLAGS");
const writer = Deno.stdout.writable.getWriter();
await serveCalls(
  Deno.stdin.readable,
  (frame) => writer.write(frame),
  async (name) => TOOLS[name] ?? (await import("../notes/tools.ts")).TOOLS[name],
);
