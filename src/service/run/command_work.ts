/** A prepared command as the work of an operation: private files are written before it and removed after it (T7). */
import type { CommandEnd } from "../../base/command/command_end.ts";
import { messageOf } from "../../base/errors.ts";
import type { PreparedCommand } from "../../command/prepared_command.ts";
import type { Work, WorkControl } from "../../operation/operation.ts";
import type { CommandRequest } from "../../process/command_runner.ts";
import type { EndedCommand } from "../../sandbox/denials/explain.ts";
import { OutputTail } from "../result/output_tail.ts";
import type { PrivateFile, Service } from "../service.ts";

/** What the work needs of a service. */
export type WorkTools = Pick<Service, "runner" | "writePrivateFile" | "log" | "explainFailure" | "audit">;

/** Runs `prepared` in `directory` (real, inside the scope). */
export function commandWork(tools: WorkTools, prepared: PreparedCommand, directory: string): Work {
  if (prepared.files.length === 0) return requestWork(tools, requestOf(prepared, directory, []));
  return async (control) => {
    const files: PrivateFile[] = [];
    try {
      for (const text of prepared.files) files.push(await tools.writePrivateFile(text));
      return await runRequest(tools, requestOf(prepared, directory, files), control);
    } catch (thrown) {
      const message = `Cannot write a private file for an argument: ${messageOf(thrown)}`;
      return { kind: "not_started", message, fault: "server" };
    } finally {
      await removeAll(tools, files);
    }
  };
}

/** Runs one request of the runner. */
export function requestWork(tools: WorkTools, request: CommandRequest): Work {
  return (control) => runRequest(tools, request, control);
}

/** Written down before and after it, and explained (S15, S18). */
async function runRequest(tools: WorkTools, request: CommandRequest, control: WorkControl): Promise<CommandEnd> {
  const { run, directory } = request;
  const command = { operation: control.operation.id, tool: control.operation.tool, run, directory };
  const begun = await tools.audit?.begin(command);
  if (begun?.ok === false) return { kind: "not_started", message: begun.problem, fault: "server" };
  const tail = new OutputTail();
  const began = Date.now();
  const changed: string[] = [];
  const end = await tools.runner.run(request, {
    signal: control.signal,
    onOutput: (chunk) => {
      tail.add(chunk);
      control.write(chunk);
    },
    onProtectedChange: (changes) => {
      changed.push(...changes.map(({ path }) => path));
      control.protectedChanged(changes);
    },
  });
  const facts = { request, end, output: tail.text(), began, changed };
  const explained = { ...end, ...await denialsOf(tools, facts, control.signal) };
  await tools.audit?.end(command, explained);
  return explained;
}

interface EndedRequest extends Pick<EndedCommand, "output" | "began" | "changed"> {
  readonly request: CommandRequest;
  readonly end: CommandEnd;
}

/** Of a command that ended by itself; nothing for one that was ended. */
async function denialsOf(
  { explainFailure }: WorkTools,
  { request, end, output, began, changed }: EndedRequest,
  signal: AbortSignal,
): Promise<Pick<CommandEnd, "denials">> {
  if (explainFailure === undefined || signal.aborted) return {};
  const { run, directory } = request;
  const words = "shell" in run ? [run.shell] : run.argv;
  const denials = await explainFailure({ words, directory, output, end, began, changed });
  return denials.length === 0 ? {} : { denials };
}

function requestOf(prepared: PreparedCommand, directory: string, files: readonly PrivateFile[]): CommandRequest {
  return {
    run: { argv: prepared.argv.map((word) => typeof word === "string" ? word : files[word.file]?.path ?? "") },
    directory,
    environment: prepared.environment,
    stdin: prepared.stdin,
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
