/**
 * Unit tests that change shared state of their runtime, and restore it. They run one after the other in a runtime of
 * their own, next to the shares (scripts/gate/changing.ts). Lint refuses such changes in other files
 * (scripts/lint/shared_state.ts).
 */
export const OWN_RUNTIME: readonly string[] = [
  // No time passes, or some at once.
  "src/catalog/load/live_catalog_test.ts",
  "src/process/linux/linux_runner_test.ts",
  "src/prompt/render/template_engine_test.ts",
  "src/service/builtin/await_tool_test.ts",
  "src/service/call/call_tool_test.ts",
  "src/system/inotify_test.ts",
  "src/toolbox/rules/engine/bounded_rules_test.ts",
  "src/upstream/asking/active_call_test.ts",
  // A call fails as no system does on request.
  "src/process/linux/readiness/self_test_run_test.ts",
  "src/sandbox/directories/session_directory_test.ts",
  "src/system/replace/file_lock_test.ts",
];
