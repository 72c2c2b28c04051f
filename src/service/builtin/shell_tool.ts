/** `sandboxed_shell` (B5): runs any command line, with the same results, modes and limits as every other tool. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { SHELL_TOOL_NAME } from "../../catalog/format/builtin_traits.ts";
import type { MetaArguments } from "../../command/prepared_command.ts";
import type { CommandRequest } from "../../process/command_runner.ts";
import type { BuiltinTool } from "./builtin_tool.ts";
import type { BuiltinArguments, Parameter } from "../builtin_parameters.ts";
import { PREVIEW_DESCRIPTION, requestWork, SHELL_PARAMETERS, shellRequest } from "../run/command_work.ts";
import { earlyAnswer, type ListFacts, namedScope } from "../result/listed_texts.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shownValue } from "../../base/text.ts";
import { shorten } from "../../base/visible_text.ts";
import { errorResult } from "../result/result_text.ts";
import { timeLimit } from "../run/mode.ts";
import { type Job, runOperation } from "../run/run_operation.ts";
import type { CallContext, Service } from "../service.ts";
import {
  CONDITION_PARAMETERS,
  conditionIn,
  readCondition,
  readWatch,
  WATCH_PARAMETER,
} from "../run/output_condition.ts";

/** The rest of the description, after the sentence that clients with short descriptions show. */
const DETAILS =
  "stdout and stderr come as one text, with the exit code. A program left with `&` ends with its command; " +
  "a server is a call of its own, whose `until` answers when it is up. Without input or tty stdin is empty.";

/** Only for `sandboxed_shell`: a step of a sequence has no session and cannot outlive the sequence. */
const CALL_PARAMETERS: readonly Parameter[] = [
  ...CONDITION_PARAMETERS,
  WATCH_PARAMETER,
  { name: "input", kind: "flag", description: "Keeps stdin open, for `send`." },
  { name: "tty", kind: "flag", description: "Gives it a terminal, for `send`." },
  {
    name: "session",
    kind: "text",
    description: "Name of a shell that keeps directory, variables and background programs.",
  },
  { name: "close", kind: "flag", description: "Then ends the session." },
  { name: "preview", kind: "flag", description: PREVIEW_DESCRIPTION, previews: true },
];

export const SHELL_TOOL: BuiltinTool = {
  name: SHELL_TOOL_NAME,
  title: "Run a shell command",
  describe: (facts) => `${firstSentence(facts)} ${DETAILS}`,
  annotations: {},
  parameters: [
    ...SHELL_PARAMETERS.map((one) => one.name === "command" ? { ...one, unless: "close" } : one),
    ...CALL_PARAMETERS,
  ],
  appendsFinished: true,
  call: runShell,
};

/** For clients that show 150 characters: text of fixed length precedes the scope, so that no path is cut. */
function firstSentence(facts: ListFacts): string {
  const answer = earlyAnswer(facts);
  const elsewhere = facts.settings.sandbox.enforced
    ? "elsewhere is read-only or hidden"
    : "there is NO SANDBOX, it can reach everything this user can";
  return `Runs a shell command line${answer === undefined ? "" : ` (${answer})`} in ${
    namedScope(facts)
  }; ${elsewhere}.`;
}

async function runShell(service: Service, args: BuiltinArguments, context: CallContext): Promise<CallToolResult> {
  const preparing = prepare(service, args);
  // Nothing is awaited before a command that can start at once.
  const prepared = preparing instanceof Promise ? await preparing : preparing;
  if (!prepared.ok) return errorResult(prepared.problem);
  const condition = conditionIn(args);
  const needsMore = condition !== undefined || isOpen(args);
  const awaited = needsMore ? await readCondition(SHELL_TOOL_NAME, condition, { isOpen: isOpen(args) }) : undefined;
  if (awaited?.ok === false) return errorResult(awaited.problem);
  const sources = args.texts("watch");
  const watch = sources.length === 0 ? undefined : await readWatch(SHELL_TOOL_NAME, sources);
  if (watch?.ok === false) return errorResult(watch.problem);
  const waits = { awaited: awaited?.value, watch: watch?.value };
  return runOperation(service, {
    tool: SHELL_TOOL_NAME,
    ...prepared.value,
    timeoutSeconds: timeLimit(service.settings, args.number("timeout_seconds"), waits),
    // The table's type `mode` accepts nothing else.
    executionMode: args.text("execution_mode") as MetaArguments["executionMode"],
    leafSynchronous: undefined,
    ...waits,
  }, context);
}

/** Whether the command gets input while it runs. */
function isOpen(args: BuiltinArguments): boolean {
  return args.flag("input") || args.flag("tty");
}

type Prepared = Pick<Job, "title" | "work" | "exclusive" | "preview">;

/** The parts of a job that depend on whether a named shell runs it. The problem is the text of the result. */
function prepare(service: Service, args: BuiltinArguments): Outcome<Prepared> | Promise<Outcome<Prepared>> {
  const name = args.text("session");
  const close = args.flag("close");
  if (name === undefined && close) return failure(refusal('"close" needs a "session"'));
  if (name !== undefined) return prepareSession(service, args, { name, close });
  const withInput = (request: CommandRequest): CommandRequest =>
    isOpen(args) ? { ...request, input: args.flag("tty") ? "terminal" : "pipe" } : request;
  const prepared = (request: Outcome<CommandRequest>) =>
    request.ok
      ? success({
        title: shorten(args.text("command") ?? ""),
        work: requestWork(service, withInput(request.value)),
        preview: args.flag("preview"),
      })
      : request;
  const request = shellRequest(args, service.scope);
  return request instanceof Promise ? request.then(prepared) : prepared(request);
}

/** Allowed characters and length of a session name, which appears in messages and in `status`. */
const SESSION_NAME = /^[\w.-]{1,40}$/;

async function prepareSession(
  { shells, scope }: Service,
  args: BuiltinArguments,
  { name, close }: { readonly name: string; readonly close: boolean },
): Promise<Outcome<Prepared>> {
  if (shells === undefined) {
    return failure(refusal('"session" needs a connection that stays open, and this one ends with its answer'));
  }
  if (!SESSION_NAME.test(name)) {
    return failure(refusal(`"session" is ${shownValue(name)}, expected 1 to 40 letters, digits, "_", "-" or "."`));
  }
  if (args.text("stdin") !== undefined) {
    return failure(refusal('"stdin" cannot be given with "session": a here-document in the command does the same'));
  }
  if (isOpen(args)) return failure(refusal('"input" and "tty" cannot be given with "session"'));
  if (args.flag("preview")) return failure(refusal('"preview" cannot be given with "session": it has its own sandbox'));
  const line = args.text("command") ?? "";
  const onlyCloses = close && line.trim() === "";
  if (onlyCloses && !shells.has(name)) return failure(refusal(`no session "${name}" is open`));
  const request = onlyCloses ? undefined : await shellRequest(args, scope);
  if (request?.ok === false) return request;
  return success({
    title: onlyCloses ? `close session ${name}` : shorten(line),
    work: shells.work({
      name,
      line: onlyCloses ? undefined : line,
      directory: args.text("working_directory") === undefined ? undefined : request?.value.directory,
      environment: args.variables("env"),
      close,
    }),
    exclusive: [shells.exclusiveKey(name)],
  });
}

function refusal(why: string): string {
  return `Cannot run "${SHELL_TOOL_NAME}": ${why}`;
}
