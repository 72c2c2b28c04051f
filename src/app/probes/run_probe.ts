/** Runs probes for programs (T11): a search along the PATH of commands, or a command inside the sandbox. */
import { aborted } from "../../base/time.ts";
import type { CommandEnd } from "../../base/command/command_end.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Scope } from "../../system/path_scope.ts";
import { visibleText } from "../../base/visible_text.ts";
import type { LiveCatalogOptions } from "../../catalog/load/live_catalog.ts";
import type { Probe } from "../../catalog/model/leaf.ts";
import type { SessionRunner } from "../../process/command_runner.ts";
import type { CheckMemory } from "./probe_cache.ts";
import { isExecutableFile, programPaths } from "../../system/search_path.ts";
import { expected } from "../../system/paths.ts";

/** A check that takes longer than this, milliseconds, counts as failed. */
const LONGEST_PROBE_MS = 10_000;
/** So much of a failed check's output is shown, bytes. */
const SHOWN_OUTPUT = 200;

type CommandProbe = Extract<Probe, { kind: "command" }>;

export interface ProbeTools {
  readonly runner: Pick<SessionRunner, "run" | "settled">;
  readonly scope: Scope;
  /** Directories of the PATH of commands. */
  readonly path: readonly string[];
  /** Earlier answers of checks. */
  readonly memory: CheckMemory;
  /** The user's sandbox settings: with another sandbox a check may give another answer. */
  readonly opened: readonly string[];
}

/** Answers probes with these tools: from memory, or by running them. */
export function probeAsker(tools: ProbeTools): Pick<LiveCatalogOptions, "recall" | "ask"> {
  return {
    recall(probes) {
      const find = programFinder(tools.path);
      const scope = resolvingOnce(tools.scope);
      return Promise.all(probes.map(async (probe) => {
        const key = await keyOf(probe, { scope, find, opened: tools.opened });
        if (!key.ok) return key;
        return probe.kind === "program" ? success(undefined) : tools.memory.recall(key.value);
      }));
    },
    async ask(probe, signal) {
      const key = await keyOf(probe, { ...tools, find: programFinder(tools.path) });
      if (!key.ok) return key;
      if (probe.kind === "program") return success(undefined);
      const { answer, isLasting } = await askCommand(probe, tools, signal);
      const told = answer.ok ? answer : failure(onOneLine(answer.problem));
      if (isLasting && !signal.aborted) tools.memory.remember(key.value, told);
      return told;
    },
  };
}

type DirectoryResolver = Pick<Scope, "resolveDirectory">;

/** Resolves each directory once, for many probes of one moment. */
function resolvingOnce(scope: DirectoryResolver): DirectoryResolver {
  const known = new Map<string | undefined, ReturnType<DirectoryResolver["resolveDirectory"]>>();
  return {
    resolveDirectory(path) {
      const place = known.get(path) ?? scope.resolveDirectory(path);
      known.set(path, place);
      return place;
    },
  };
}

interface KeyParts extends Pick<ProbeTools, "opened"> {
  readonly scope: DirectoryResolver;
  readonly find: FindProgram;
}

/** Key of the answer in memory: the probe, its directory, the file of the program, and what is open to it. */
async function keyOf(probe: Probe, { scope, find, opened }: KeyParts): Promise<Outcome<string>> {
  if (probe.kind === "program") return found(probe.program, find(probe.program, "/"));
  const { argv, successExitCodes } = probe;
  const directory = await scope.resolveDirectory(probe.directory);
  if (!directory.ok) return failure(onOneLine(`Check "${argv.join(" ")}" cannot run: ${directory.problem}`));
  const [program = ""] = argv;
  const file = found(program, find(program, directory.value));
  return file.ok ? success(JSON.stringify([argv, successExitCodes, directory.value, file.value, ...opened])) : file;
}

function found(name: string, program: FoundProgram | undefined): Outcome<string> {
  return program === undefined
    ? failure(onOneLine(`"${name}" is not on the PATH of commands`))
    : success(`${program.file} ${program.size} ${program.changed}`);
}

function onOneLine(text: string): string {
  return visibleText(text).replaceAll("\n", " ");
}

/** An answer, and whether the same question would get it again: a timeout says nothing about the program. */
interface CommandAnswer {
  readonly answer: Outcome<void>;
  readonly isLasting: boolean;
}

async function askCommand(probe: CommandProbe, tools: ProbeTools, stop: AbortSignal): Promise<CommandAnswer> {
  const shown = `Check "${probe.argv.join(" ")}"`;
  const no = (problem: string) => ({ answer: failure(`${shown} ${problem}`), isLasting: false });
  const directory = await tools.scope.resolveDirectory(probe.directory);
  if (!directory.ok) return no(`cannot run: ${directory.problem}`);
  const timeout = AbortSignal.timeout(LONGEST_PROBE_MS);
  const output: Uint8Array[] = [];
  let length = 0;
  const end = await tools.runner.run(
    { run: { argv: probe.argv }, directory: directory.value, environment: {}, stdin: undefined, offline: true },
    {
      signal: AbortSignal.any([timeout, stop]),
      onOutput(chunk) {
        if (length < SHOWN_OUTPUT) output.push(chunk.slice(0, SHOWN_OUTPUT - length));
        length += chunk.length;
      },
    },
  );
  const isLate = timeout.aborted;
  await Promise.race([tools.runner.settled(), aborted(stop)]); // what a check left running could still change the tool files
  const isLasting = end.kind === "exited";
  if (isLasting && probe.successExitCodes.includes(end.code)) return { answer: success(undefined), isLasting };
  if (isLate) return no(`did not end within ${LONGEST_PROBE_MS / 1000} s`);
  return { ...no(`${describe(end)}${firstLine(output)}`), isLasting };
}

function describe(end: CommandEnd): string {
  if (end.kind === "exited") return `ended with exit code ${end.code}`;
  return end.kind === "signalled" ? `was ended by ${end.signal}` : `did not start: ${end.message}`;
}

function firstLine(output: readonly Uint8Array[]): string {
  const text = output.map((chunk) => new TextDecoder().decode(chunk)).join("").trim().split("\n")[0] ?? "";
  return text === "" ? "" : `: ${text}`;
}

/** An executable file in its current state. */
interface FoundProgram {
  readonly file: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970; undefined: the file system keeps no such time. */
  readonly changed: number | undefined;
}

/** The program that a command of this name starts in `directory`; undefined: there is none. */
type FindProgram = (name: string, directory: string) => FoundProgram | undefined;

/** Searches `path` for each program once, for many probes of one moment. */
function programFinder(path: readonly string[]): FindProgram {
  const known = new Map<string, FoundProgram | undefined>();
  return (name, directory) => {
    const key = name.includes("/") ? `${directory}/${name}` : name;
    if (!known.has(key)) known.set(key, firstExecutable(programPaths(name, path, directory)));
    return known.get(key);
  };
}

function firstExecutable(files: readonly string[]): FoundProgram | undefined {
  for (const file of files) {
    const seen = expected(() => Deno.statSync(file));
    if (seen !== undefined && isExecutableFile(seen)) {
      return { file, size: seen.size, changed: seen.mtime?.getTime() };
    }
  }
  return undefined;
}
