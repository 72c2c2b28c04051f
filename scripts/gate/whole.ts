/**
 * The files of `deno task test:whole`, the longest first, so that none of them ends last, and those that mostly wait
 * apart from each other, so that they leave no processor idle. They are all of `tests/` except those that need the
 * machine for themselves, and those that run with the executable. The runtime keeps the order of a directory's
 * files, but runs directories with longer paths first.
 */
import { globSync } from "node:fs";
import { WITH_EXECUTABLE } from "./selection.ts";

const ROOT = new URL("../../", import.meta.url);
const ALONE = "tests/alone/";

/** Each takes at least a quarter of a minute next to others on two processors. */
const LONGEST: readonly string[] = [
  "tests/http/fronted/fronted_test.ts",
  "tests/attacks/network_test.ts",
  "tests/attacks/own_ordinary_test.ts",
  "tests/attacks/confined_test.ts",
  "tests/attacks/limits_test.ts",
  "tests/http/isolated_test.ts",
  "tests/logins/logins_test.ts",
  "tests/attacks/races_test.ts",
  "tests/projects/projects_test.ts",
  "tests/attacks/ordinary_test.ts",
  "tests/attacks/root_test.ts",
  "tests/dashboard/dashboard_test.ts",
  "tests/tools/built_test.ts",
  "tests/http/http_test.ts",
  "tests/tools/served_test.ts",
  "tests/wire/wire_test.ts",
];

/** Each takes long too, and waits for much of it, for example for a time limit. */
const WAITING: readonly string[] = [
  "tests/ask_network_test.ts",
  "tests/toolbox_web_test.ts",
  "tests/protected_test.ts",
  "tests/undo_test.ts",
  "tests/demo_test.ts",
  "tests/input_test.ts",
  "tests/conformance_client_test.ts",
  "tests/conformance_test.ts",
  "tests/start_script_test.ts",
  "tests/network_test.ts",
  "tests/servers_third_party_test.ts",
  "tests/release_test.ts",
  "tests/cancel_test.ts",
  "tests/servers_states_test.ts",
  "tests/turns_test.ts",
  "tests/waits_test.ts",
];

/** From the root of the repository, each once. */
export function wholeTestFiles(): readonly string[] {
  const named = [...LONGEST, ...WAITING];
  const left = globSync("tests/**/*_test.ts", { cwd: ROOT.pathname }).toSorted()
    .filter((path) => !path.startsWith(ALONE) && !WITH_EXECUTABLE.includes(path) && !named.includes(path));
  const isDeep = (path: string) => path.split("/").length > 2;
  return [...LONGEST, ...left.filter(isDeep), ...spread(WAITING, left.filter((path) => !isDeep(path)))];
}

/** `some` at equal distances in the first three quarters of `others`. */
function spread(some: readonly string[], others: readonly string[]): readonly string[] {
  const distance = Math.max(1, Math.floor(others.length * 3 / 4 / some.length));
  return others.flatMap((path, index) => {
    const next = index % distance === 0 ? some[index / distance] : undefined;
    return next === undefined ? [path] : [next, path];
  });
}

if (import.meta.main) Deno.stdout.writeSync(new TextEncoder().encode(`${wholeTestFiles().join(" ")}\n`));
