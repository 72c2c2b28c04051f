/** Asks whether programs are there (T11): a look along the PATH of commands, or a command inside the sandbox. */
import { failure, type Outcome, success } from "../base/outcome.ts";
import type { Scope } from "../base/scope.ts";
import { visibleText } from "../base/visible_text.ts";
import type { AskProbe } from "../catalog/availability.ts";
import type { Probe } from "../catalog/leaf.ts";
import type { CommandEnd } from "../process/command_runner.ts";
import type { SessionRunner } from "../process/session_runner.ts";
import { programPaths } from "../process/program_paths.ts";

/** A check that takes longer than this, milliseconds, counts as failed. */
const LONGEST_PROBE_MS = 10_000;
/** So much of a failed check's output is shown, bytes. */
const SHOWN_OUTPUT = 200;

export interface ProbeTools {
  readonly runner: Pick<SessionRunner, "run" | "settled">;
  readonly scope: Scope;
  /** Directories of the PATH of commands. */
  readonly path: readonly string[];
}

/** The question asked with these tools. */
export function probeAsker(tools: ProbeTools): AskProbe {
  return async (probe, signal) => {
    const answer = await askAny(probe, tools, signal);
    return answer.ok ? answer : failure(visibleText(answer.problem).replaceAll("\n", " "));
  };
}

function askAny(probe: Probe, tools: ProbeTools, signal: AbortSignal): Promise<Outcome<void>> {
  switch (probe.kind) {
    case "program":
      return askProgram(probe.program, tools);
    case "command":
      return askCommand(probe, tools, signal);
  }
}

async function askProgram(program: string, { path }: ProbeTools): Promise<Outcome<void>> {
  for (const candidate of programPaths(program, path, "/")) {
    if (await isExecutable(candidate)) return success(undefined);
  }
  return failure(`"${program}" is not on the PATH of commands`);
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    const { isFile, mode } = await Deno.stat(path);
    return isFile && ((mode ?? 0) & 0o111) !== 0;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

async function askCommand(
  probe: Extract<Probe, { kind: "command" }>,
  tools: ProbeTools,
  stop: AbortSignal,
): Promise<Outcome<void>> {
  const shown = `Check "${probe.argv.join(" ")}"`;
  const directory = await tools.scope.resolveDirectory(probe.directory);
  if (!directory.ok) return failure(`${shown} cannot run: ${directory.problem}`);
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), LONGEST_PROBE_MS);
  const output: Uint8Array[] = [];
  let length = 0;
  const end = await tools.runner.run(
    { run: { argv: probe.argv }, directory: directory.value, environment: {}, stdin: undefined, offline: true },
    {
      signal: AbortSignal.any([abort.signal, stop]),
      onOutput(chunk) {
        if (length < SHOWN_OUTPUT) output.push(chunk.slice(0, SHOWN_OUTPUT - length));
        length += chunk.length;
      },
    },
  );
  clearTimeout(timer);
  await ended(tools.runner.settled(), stop); // what a check left running could still change the tool files
  if (end.kind === "exited" && probe.successExitCodes.includes(end.code)) return success(undefined);
  if (abort.signal.aborted) return failure(`${shown} did not end within ${LONGEST_PROBE_MS / 1000} s`);
  return failure(`${shown} ${describe(end)}${firstLine(output)}`);
}

/** Settles with `work`, or when nobody wants the answer any more. */
async function ended(work: Promise<void>, stop: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onStop = () => resolve();
  stop.addEventListener("abort", onStop, { once: true });
  if (stop.aborted) resolve();
  await Promise.race([work, promise]);
  stop.removeEventListener("abort", onStop);
}

function describe(end: CommandEnd): string {
  switch (end.kind) {
    case "exited":
      return `ended with exit code ${end.code}`;
    case "signalled":
      return `was ended by ${end.signal}`;
    case "not_started":
      return `did not start: ${end.message}`;
  }
}

function firstLine(output: readonly Uint8Array[]): string {
  const text = output.map((chunk) => new TextDecoder().decode(chunk)).join("").trim().split("\n")[0] ?? "";
  return text === "" ? "" : `: ${text}`;
}
