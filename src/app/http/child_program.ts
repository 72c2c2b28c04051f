/**
 * The command line of our own program as the child server of one isolated session (H3). It has the settings of this
 * server and another scope; it reads the settings files itself, the project's from the session's directory.
 */
import type { ChildProgram } from "../../bridge/isolated/child_pool.ts";
import { absolutePath } from "../../system/paths.ts";
import { AWAIT_SCOPE, AWAIT_SCOPE_AHEAD } from "./awaited_scope.ts";
import { hideNodeOptions } from "../program/node_options.ts";
import { sessionProgram } from "../program/own_program.ts";
import { FLAG_NAMES, type FlagName, flagNamed, SERVER_FLAGS } from "../../settings/flags/flags.ts";
import { HTTP_FLAGS } from "../../settings/flags/http_flags.ts";

interface ChildSettings {
  /** As typed. */
  readonly flags: ReadonlyMap<FlagName, readonly string[]>;
  /** The server's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** The directory of relative paths. */
  readonly directory: string;
  /** Whether it connects to servers at addresses. */
  readonly network: boolean;
}

/** Flags for the HTTP server only, not for its child servers. */
const NOT_PASSED_ON: readonly FlagName[] = [
  "mode",
  "sandbox-scope",
  "no-sandbox-server",
  ...Object.keys(HTTP_FLAGS) as (keyof typeof HTTP_FLAGS)[], // the keys of a constant object are known
];

/** Flags whose text is the path of a file. */
const FILES: readonly FlagName[] = ["audit-log"];

/** Flags whose relative paths start in the scope of each session. */
const INSIDE_THE_SCOPE: readonly FlagName[] = ["protect", "allow-protected"];

/** The program for every session; each child receives its scope. */
export function childProgram(settings: ChildSettings): ChildProgram {
  const { command, args } = sessionProgram(settings);
  const words = [...childFlags(settings), "--mode=stdio"];
  return {
    command,
    args: [...args, AWAIT_SCOPE, ...words],
    argsAhead: [...args, AWAIT_SCOPE_AHEAD, ...words],
    environment: childEnvironment(settings),
  };
}

/** The typed flags that matter to a session. Pure. */
export function childFlags({ flags, directory }: Pick<ChildSettings, "flags" | "directory">): readonly string[] {
  return [...flags].filter(([name]) => SERVER_FLAGS.includes(name) && !NOT_PASSED_ON.includes(name))
    .flatMap(([name, values]) => {
      if (values.length === 0) return [`--${name}`];
      return values.map((value) => `--${name}=${isPath(name) ? absolutePath(value, directory) : value}`);
    });
}

/** The variables without those for this server only, with relative directories made absolute. Pure. */
export function childEnvironment(
  { environment, directory }: Pick<ChildSettings, "environment" | "directory">,
): Readonly<Record<string, string>> {
  const child: Record<string, string> = { ...environment };
  for (const name of FLAG_NAMES) {
    const { variable, repeatable } = flagNamed(name);
    const text = variable === undefined ? undefined : environment[variable];
    if (variable === undefined || text === undefined) continue;
    if (NOT_PASSED_ON.includes(name)) delete child[variable];
    else if (isPath(name) && text !== "") {
      const paths = repeatable === true ? text.split(":") : [text];
      child[variable] = paths.map((path) => path === "" ? "" : absolutePath(path, directory)).join(":");
    }
  }
  hideNodeOptions(child);
  return child;
}

function isPath(name: FlagName): boolean {
  return FILES.includes(name) || flagNamed(name).value === "directory" && !INSIDE_THE_SCOPE.includes(name);
}
