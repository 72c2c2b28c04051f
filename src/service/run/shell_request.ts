/** The arguments of `sandboxed_shell` (B5), and the command that they ask for: in a call, and in a step of a sequence. */
import { SHELL_TOOL_NAME } from "../../catalog/format/builtin_traits.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Scope } from "../../system/path_scope.ts";
import type { CommandRequest } from "../../process/command_runner.ts";
import type { BuiltinArguments, Parameter } from "../builtin_parameters.ts";

export const SHELL_PARAMETERS: readonly Parameter[] = [
  { name: "command", kind: "text", required: true, description: "The command line." },
  { name: "working_directory", kind: "text", description: "Directory to run in, inside the scope." },
  { name: "timeout_seconds", kind: "limit", description: "Seconds after which it is ended." },
  {
    name: "execution_mode",
    kind: "mode",
    description: "Synchronous waits for the result; AsyncResultPush answers with the operation id at once.",
  },
  { name: "env", kind: "variables", description: "Environment variables to add." },
  { name: "stdin", kind: "input", description: "Text for standard input." },
];

/** What checked arguments ask the runner for, at once where no directory is named. The problem is the text of the result. */
export function shellRequest(
  args: BuiltinArguments,
  scope: Scope,
): Outcome<CommandRequest> | Promise<Outcome<CommandRequest>> {
  const command = args.text("command") ?? "";
  if (command.trim() === "") {
    return failure(`Cannot run "${SHELL_TOOL_NAME}": argument "command" is empty: give the command line to run`);
  }
  const requestIn = (directory: string): CommandRequest => ({
    run: { shell: command },
    directory,
    environment: args.variables("env"),
    stdin: args.text("stdin"),
  });
  const named = args.text("working_directory");
  if (named === undefined) return success(requestIn(scope.roots[0] ?? "/"));
  return scope.resolveDirectory(named).then((found) => found.ok ? success(requestIn(found.value)) : found);
}
