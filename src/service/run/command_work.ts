/** A prepared command as the work of an operation: private files are written before it and removed after it (T7). */
import type { CommandEnd } from "../../base/command/command_end.ts";
import { messageOf } from "../../base/errors.ts";
import { narrowedReach, type NetworkReach } from "../../base/network/network_bound.ts";
import type { PreparedCommand } from "../../command/prepared_command.ts";
import type { Leaf } from "../../catalog/model/leaf.ts";
import type { Work, WorkControl } from "../../operation/operation.ts";
import type { CommandRequest } from "../../process/command_runner.ts";
import type { PrivateFile, Service } from "../service.ts";
import { SHELL_TOOL_NAME } from "../../catalog/format/builtin_traits.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Scope } from "../../system/path_scope.ts";
import type { BuiltinArguments, Parameter } from "../builtin_parameters.ts";

/** The parts of a service that the work needs. */
export type WorkTools = Pick<Service, "runner" | "openInputs" | "writePrivateFile" | "log">;

/** `input`: it stays open; absent: closed. `idempotent`: the leaf may be retried; absent: it may not. */
type RunRules = Pick<Leaf, "input" | "idempotent">;

/** Runs `prepared` in `directory` (real, inside the scope). */
export function commandWork(
  tools: WorkTools,
  prepared: PreparedCommand,
  directory: string,
  rules: RunRules = {},
): Work {
  if (prepared.files.length === 0) return requestWork(tools, requestOf(prepared, directory, { files: [], rules }));
  return async (control) => {
    const files: PrivateFile[] = [];
    try {
      for (const text of prepared.files) files.push(await tools.writePrivateFile(text));
      return await runRequest(tools, requestOf(prepared, directory, { files, rules }), control);
    } catch (thrown) {
      const message = `Cannot write a private file for an argument: ${messageOf(thrown)}`;
      return { kind: "not_started", message, fault: "server" };
    } finally {
      await removeAll(tools, files);
    }
  };
}

/** `work` with a network that is at most the given one, whatever it is narrowed to already; undefined: `work` itself. */
export function withNetwork(work: Work, network: NetworkReach | undefined): Work {
  if (network === undefined) return work;
  return (control) =>
    work({ ...control, network: control.network === undefined ? network : narrowedReach(control.network, network) });
}

/** Runs one request of the runner. */
export function requestWork(tools: WorkTools, request: CommandRequest): Work {
  return (control) => runRequest(tools, request, control);
}

function runRequest(
  { runner, openInputs }: WorkTools,
  request: CommandRequest,
  control: WorkControl,
): Promise<CommandEnd> {
  const { operation, network, person, preview } = control;
  const how = { ...network !== undefined && { network }, ...preview === true && { preview } };
  const run = () =>
    runner.run({ ...request, operation, ...how }, {
      signal: control.signal,
      onOutput: (chunk) => control.write(chunk),
      onProtectedChange: (changes) => control.protectedChanged(changes),
      onNetwork: (use) => control.connected(use),
      onRunning: (command) => control.running(command),
      say: (line) => control.say(line),
      person,
    });
  return request.input === undefined ? run() : openInputs.hold(run);
}

function requestOf(
  prepared: PreparedCommand,
  directory: string,
  { files, rules: { input, idempotent } }: { readonly files: readonly PrivateFile[]; readonly rules: RunRules },
): CommandRequest {
  return {
    run: { argv: prepared.argv.map((word) => typeof word === "string" ? word : files[word.file]?.path ?? "") },
    directory,
    environment: prepared.environment,
    stdin: prepared.stdin,
    ...input !== undefined && { input },
    ...idempotent === true && { isRepeatable: idempotent },
  };
}

async function removeAll(tools: WorkTools, files: readonly PrivateFile[]): Promise<void> {
  for (const file of files) {
    try {
      await file.remove();
    } catch (thrown) {
      tools.log.warn("Cannot remove a private file", { file: file.path, error: messageOf(thrown) });
    }
  }
}

/** Of the argument `preview`. */
export const PREVIEW_DESCRIPTION = "Changes nothing in the scope, and says what it would change, for `changes`.";

export const SHELL_PARAMETERS: readonly Parameter[] = [
  { name: "command", kind: "text", required: true, description: "The command line." },
  { name: "working_directory", kind: "text", description: "Inside the scope." },
  { name: "timeout_seconds", kind: "limit", description: "Seconds after which it is ended." },
  {
    name: "execution_mode",
    kind: "mode",
    description: "AsyncResultPush answers with the operation id at once.",
  },
  { name: "env", kind: "variables" },
  { name: "stdin", kind: "input" },
];

/** The runner's request for checked arguments; waits only for a directory. The problem is the result's text. */
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
