/** Main module of a worker, a separate program in the sandbox that the server starts. */
import { gitChanges } from "../changes/git_changes.ts";
import { COMPLETE_PATH } from "../definition/question.ts";
import { listDirectory } from "../files/list.ts";
import { readFile } from "../files/read_file.ts";
import { completePath } from "../find/complete_path.ts";
import { globFiles } from "../find/glob.ts";
import { grepFiles } from "../grep/grep.ts";
import { outlineGenerate } from "../outline/outline_generate.ts";
import type { NativeTool } from "../project/native_tool.ts";
import { checkRules } from "../rules/check.ts";
import { createRule, listRules } from "../rules/create.ts";
import { recordVerdicts } from "../rules/verdict.ts";
import { searchIndex, searchQuery, symbolFind } from "../search/tools.ts";
import { webFetch } from "../web/web_fetch.ts";
import { webSearch } from "../web/web_search.ts";
import { editFile } from "../writing/edit.ts";
import { patchFiles } from "../writing/patch.ts";
import { writeFile } from "../writing/write.ts";
import { serveCalls } from "./serve.ts";

/** Native tools except those for notes; packages that only some of them need are loaded at their first call. */
const TOOLS: Readonly<Record<string, NativeTool>> = {
  files_read: readFile,
  files_list: listDirectory,
  files_glob: globFiles,
  files_grep: grepFiles,
  files_edit: editFile,
  files_write: writeFile,
  files_patch: patchFiles,
  [COMPLETE_PATH]: completePath,
  git_changes: gitChanges,
  outline_generate: outlineGenerate,
  search_index: searchIndex,
  search_query: searchQuery,
  symbol_find: symbolFind,
  rules_check: checkRules,
  rules_create: createRule,
  rules_list: listRules,
  rules_verdict: recordVerdicts,
  web_fetch: webFetch,
  web_search: webSearch,
};

// The runtime has already read the variable; programs that the worker starts must not inherit it.
Deno.env.delete("DENO_V8_FLAGS");
const writer = Deno.stdout.writable.getWriter();
await serveCalls(
  Deno.stdin.readable,
  (frame) => writer.write(frame),
  async (name) =>
    TOOLS[name] ?? (await import("../notes/tools.ts")).TOOLS[name] ?? (await import("../undo/tools.ts")).TOOLS[name],
);
