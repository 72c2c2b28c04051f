/** `send` (X22): types into a command that was started with `input` or `tty`, and answers with its new output. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { CommandInput } from "../../base/command/running_command.ts";
import { messageOf } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { encodeText } from "../../base/text.ts";
import { isEnded } from "../../operation/operation.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { waitForOutput } from "../../operation/output_wait.ts";
import type { BuiltinArguments } from "../builtin_parameters.ts";
import { sentResult } from "../result/sent_result.ts";
import { withListedNames } from "../result/listed_texts.ts";
import { errorResult, styleOf } from "../result/result_text.ts";
import { conditionIn, PLAIN_CONDITIONS, readCondition } from "../run/output_condition.ts";
import { patienceMs } from "../run/mode.ts";
import type { CallContext, Service } from "../service.ts";
import { type BuiltinTool, OPERATION_PARAMETER, unknownOperation } from "./builtin_tool.ts";
import { keySequence } from "./terminal_keys.ts";

const DEFAULT_LIMIT_SECONDS = 2;
/** Silence after some output that ends a wait without a condition, because not every program shows that it waits. */
const QUIET_SECONDS = 0.5;
/** The bytes that end a line of input: line feed, and the carriage return of a terminal. */
const ENTERS: ReadonlySet<number> = new Set([10, 13]);
const MOST_BYTES = 64 * 1024;
const SIZE = /^([1-9]\d{0,2})x([1-9]\d{0,2})$/;

export const SEND_TOOL: BuiltinTool = {
  name: "send",
  title: "Type into an operation",
  describe: () =>
    "Types into an operation started with input or tty; answers with what it writes until it waits for input again, " +
    `after timeout_seconds (default ${DEFAULT_LIMIT_SECONDS}) at the latest.`,
  annotations: {},
  parameters: [
    { ...OPERATION_PARAMETER, required: true },
    { name: "text", kind: "input", description: '"\\n" is enter.' },
    { name: "keys", kind: "texts", description: "Then keys: enter, up, esc, ctrl-c, f1 ..." },
    { name: "eof", kind: "flag", description: "Then ends stdin." },
    { name: "resize", kind: "text", description: 'First: "120x40".', example: "120x40" },
    ...PLAIN_CONDITIONS.filter(({ name }) => name !== "until_port"),
    { name: "timeout_seconds", kind: "wait" },
  ],
  appendsFinished: true,
  call: send,
};

async function send(service: Service, args: BuiltinArguments, context: CallContext): Promise<CallToolResult> {
  const { registry } = service;
  const id = args.text("operation_id") ?? "";
  const operation = registry.get(id);
  if (operation === undefined) return errorResult(unknownOperation(service, id));
  const input = inputOf(operation);
  if (!input.ok) return errorResult(withListedNames(service, `Cannot send to ${id}: ${input.problem}`));
  const typed = readTyped(args, input.value, operation.screen?.applicationKeys === true);
  if (!typed.ok) return errorResult(`Cannot send to ${id}: ${typed.problem}`);
  const awaited = await readCondition("send", conditionIn(args) ?? { until_quiet: QUIET_SECONDS }, { isOpen: true });
  if (!awaited.ok) return errorResult(awaited.problem);
  const from = operation.output.totalBytes;
  const isTyped = typed.value.bytes.length > 0 || typed.value.ends;
  const inputWait = isTyped ? operation.command?.inputWait() : undefined;
  operation.screen?.forget();
  if (ENTERS.has(typed.value.bytes.at(-1) ?? 0)) registry.markTyped(id, from);
  if (typed.value.size !== undefined) await operation.resize(typed.value.size);
  const problem = await type(input.value, typed.value);
  if (problem !== undefined && !isEnded(operation.state)) return errorResult(`Cannot send to ${id}. ${problem}.`);
  const wanted = awaited.value ?? {};
  const end = await waitForOutput(operation, wanted, {
    from,
    typed: { echo: input.value.terminal === undefined ? [] : typed.value.lines, inputWait },
    timeoutMs: Math.min((args.number("timeout_seconds") ?? DEFAULT_LIMIT_SECONDS) * 1000, patienceMs(context)),
    signal: context.signal,
  });
  const result = await sentResult(operation, { ...end, from }, { ...styleOf(service, context), awaited: wanted });
  // A cancelled request gets no answer.
  if (context.signal.aborted) return result;
  if (isEnded(operation.state)) registry.markDelivered(id);
  else registry.markSeen(id);
  return result;
}

function inputOf({ state, command }: Operation): Outcome<CommandInput> {
  if (isEnded(state)) return failure("it has ended; `await` returns its result");
  if (state === "queued") return failure("it has not begun");
  const input = command?.input;
  return input === undefined ? failure("its input is closed: start it with input or tty") : success(input);
}

/** What is sent, in this order: a terminal size, bytes, the end of input. */
interface Typed {
  readonly size: { readonly columns: number; readonly rows: number } | undefined;
  readonly bytes: Uint8Array;
  readonly ends: boolean;
  /** The lines of the text without line endings; a terminal echoes them. */
  readonly lines: readonly string[];
}

function readTyped(
  args: BuiltinArguments,
  { terminal }: CommandInput,
  applicationKeys: boolean,
): Outcome<Typed> {
  const text = args.text("text") ?? "";
  const keys = args.texts("keys");
  const [, columns, rows] = SIZE.exec(args.text("resize") ?? "") ?? [];
  if (args.text("resize") !== undefined && columns === undefined) {
    return failure(`"resize" is ${JSON.stringify(args.text("resize"))}, expected columns and rows as in "120x40"`);
  }
  const other = keys.find((key) => key !== "enter");
  if (terminal === undefined && (other !== undefined || columns !== undefined)) {
    return failure(`${other === undefined ? '"resize"' : `the key "${other}"`} needs a terminal: start it with tty`);
  }
  const sequence = keySequence(keys, { applicationKeys });
  if (!sequence.ok) return sequence;
  // On a terminal Enter is a carriage return; the terminal converts it if the program reads lines.
  const all = terminal === undefined ? text + "\n".repeat(keys.length) : text.replaceAll("\n", "\r") + sequence.value;
  const bytes = encodeText(all);
  if (bytes.length > MOST_BYTES) return failure(`${bytes.length} bytes are given, at most ${MOST_BYTES} are allowed`);
  return success({
    size: columns === undefined ? undefined : { columns: Number(columns), rows: Number(rows) },
    bytes,
    ends: args.flag("eof"),
    lines: text.split("\n").filter((line) => line !== ""),
  });
}

/** Sends the input. Returns why it failed; undefined: it succeeded. */
async function type(input: CommandInput, { bytes, ends }: Typed): Promise<string | undefined> {
  try {
    if (bytes.length > 0) await input.write(bytes);
    if (ends) await input.close();
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
