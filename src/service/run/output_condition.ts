/** The arguments that make a call answer before its command ends: at a line of its output, or at silence (X20). */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Awaited } from "../../operation/watch/output_wait.ts";
import { readLinePattern } from "../../operation/watch/line_pattern.ts";
import type { BuiltinArguments, Parameter } from "../builtin_parameters.ts";

export const CONDITION_PARAMETERS: readonly Parameter[] = [
  { name: "until", kind: "text", description: "Answers at the first output line with this text, or /pattern/ (RE2)." },
  { name: "until_quiet", kind: "limit", description: "Answers after so many seconds without further output." },
];

/** What checked arguments wait for; undefined: the end alone. The problem is the text of the result. */
export async function readCondition(tool: string, args: BuiltinArguments): Promise<Outcome<Awaited | undefined>> {
  const text = args.text("until");
  const quiet = args.number("until_quiet");
  const until = text === undefined ? undefined : await readLinePattern(text);
  if (until?.ok === false) return failure(`Cannot run "${tool}": ${until.problem}`);
  if (until === undefined && quiet === undefined) return success(undefined);
  return success({ until: until?.value, quietMs: quiet === undefined ? undefined : quiet * 1000 });
}

/** Whether the arguments name a condition. */
export function hasCondition(args: BuiltinArguments): boolean {
  return args.text("until") !== undefined || args.number("until_quiet") !== undefined;
}
