/** The arguments that make a call answer before its command ends: at a line, at silence, at an open port (X20). */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Awaited } from "../../operation/output_wait.ts";
import type { LinePattern } from "../../operation/watch/line_pattern.ts";
import { readLinePattern, readLinePatterns } from "../../operation/watch/line_pattern.ts";
import type { BuiltinArguments, Parameter } from "../builtin_parameters.ts";

export const CONDITION_PARAMETERS: readonly Parameter[] = [
  { name: "until", kind: "text", description: "Answers at a line with this text or /pattern/ (RE2)." },
  { name: "until_port", kind: "port", description: "Answers when it listens at this TCP port." },
  { name: "until_quiet", kind: "limit", description: "Answers after so many seconds of silence." },
];

/** The same arguments with short descriptions, because another listed tool describes them. */
export const PLAIN_CONDITIONS: readonly Parameter[] = CONDITION_PARAMETERS.map(({ name, kind }) => ({ name, kind }));

/** The argument that reports matching lines while the command runs (X21). */
export const WATCH_PARAMETER: Parameter = {
  name: "watch",
  kind: "texts",
  description: "Tells of lines with one of these, as in until, with later results.",
};

/** The condition: a text or /pattern/, seconds, a port; undefined: not given. */
export interface Condition {
  readonly until?: string | undefined;
  readonly until_port?: number | undefined;
  readonly until_quiet?: number | undefined;
}

/** The condition in checked arguments; undefined: they name none. */
export function conditionIn(args: BuiltinArguments): Condition | undefined {
  const condition = {
    until: args.text("until"),
    until_port: args.number("until_port"),
    until_quiet: args.number("until_quiet"),
  };
  return Object.values(condition).every((part) => part === undefined) ? undefined : condition;
}

/** Silence after some output that lets a call answer whose command may wait for input, milliseconds. */
const QUIET_MS = 1_000;

/** Undefined: only the end is awaited. `isOpen`: a wait for input answers too. The problem is the result's text. */
export async function readCondition(
  tool: string,
  condition: Condition | undefined,
  { isOpen }: { readonly isOpen: boolean },
): Promise<Outcome<Awaited | undefined>> {
  if (condition === undefined) return success(isOpen ? { input: true, quietMs: QUIET_MS } : undefined);
  const { until: text, until_port: port, until_quiet: quiet } = condition;
  if (port !== undefined && Deno.build.os !== "linux") {
    return failure(`Cannot run "${tool}": "until_port" asks the kernel of Linux; here "until" finds a line instead`);
  }
  const until = text === undefined ? undefined : await readLinePattern(text);
  if (until?.ok === false) return failure(`Cannot run "${tool}": ${until.problem}`);
  return success({
    until: until?.value,
    port,
    quietMs: quiet === undefined ? undefined : quiet * 1000,
    ...isOpen && { input: true },
  });
}

/** The lines that a call wants reported; undefined: none. The problem is the text of the result. */
export async function readWatch(tool: string, sources: readonly string[]): Promise<Outcome<LinePattern | undefined>> {
  if (sources.length === 0) return success(undefined);
  const read = await readLinePatterns(sources);
  return read.ok ? read : failure(`Cannot run "${tool}": ${read.problem}`);
}
