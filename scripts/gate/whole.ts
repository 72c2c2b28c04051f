/**
 * The files of `deno task test:whole`, the longest first, so that none of them ends last. They are all of `tests/`
 * except those that need the machine for themselves, and those that run with the executable. The runtime keeps the order,
 * except that it runs files of deeper directories first.
 */
import { globSync } from "node:fs";
import { WITH_EXECUTABLE } from "./selection.ts";

const ROOT = new URL("../../", import.meta.url);
const ALONE = "tests/alone/";

/** Each takes at least a quarter of a minute next to others on two processors. */
const LONGEST: readonly string[] = [
  "tests/attacks/network_test.ts",
  "tests/attacks/own_ordinary_test.ts",
  "tests/attacks/confined_test.ts",
  "tests/attacks/limits_test.ts",
  "tests/attacks/races_test.ts",
  "tests/projects/projects_test.ts",
  "tests/tools/interpreted_test.ts",
  "tests/attacks/ordinary_test.ts",
  "tests/attacks/root_test.ts",
  "tests/ask_transports_test.ts",
  "tests/network_enforced_test.ts",
  "tests/http_fronted_work_test.ts",
  "tests/toolbox_memory_test.ts",
  "tests/tools/built_test.ts",
  "tests/tools/fetched_test.ts",
  "tests/tools/served_test.ts",
  "tests/protected_test.ts",
  "tests/undo_test.ts",
  "tests/input_test.ts",
  "tests/git_outside_test.ts",
  "tests/cancel_test.ts",
  "tests/secrets_test.ts",
  "tests/preview_test.ts",
  "tests/http_stuck_server_test.ts",
  "tests/release_test.ts",
  "tests/http_session_life_test.ts",
  "tests/servers_states_test.ts",
  "tests/agent_view_test.ts",
];

/** From the root of the repository, each once. */
export function wholeTestFiles(): readonly string[] {
  const all = globSync("tests/**/*_test.ts", { cwd: ROOT.pathname }).toSorted()
    .filter((path) => !path.startsWith(ALONE) && !WITH_EXECUTABLE.includes(path));
  return [...LONGEST, ...all.filter((path) => !LONGEST.includes(path))];
}

if (import.meta.main) Deno.stdout.writeSync(new TextEncoder().encode(`${wholeTestFiles().join(" ")}\n`));
