/**
 * `call` (requirement L5): one tool call from a terminal, through the code that answers a client. It finds the tool,
 * reads the words as its arguments, calls it, prints its output to stdout as it comes and messages to stderr, and
 * resolves with its exit code.
 */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { UsageError, UserError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/suggest.ts";
import { reasonOf } from "../../../catalog/load/availability.ts";
import type { Catalog } from "../../../catalog/model/leaf.ts";
import { resolveCall } from "../../../catalog/model/resolve.ts";
import type { Operation } from "../../../operation/operation_record.ts";
import { callTool } from "../../../service/call/call_tool.ts";
import { toolList } from "../../../service/connection/tool_list.ts";
import { leafTool } from "../../../service/tool_files/tool_file_source.ts";
import { statusLine } from "../../../service/result/closing_line.ts";
import { protectedNote } from "../../../service/result/protected_note.ts";
import { sandboxNotes } from "../../../service/result/result_text.ts";
import type { Service, ToolCall } from "../../../service/service.ts";
import { colours } from "../../terminal/colours.ts";
import { compose } from "../../../app/compose_service.ts";
import { BUNDLE_NAMES } from "../../../settings/bundles.ts";
import { groupOf, nativeNames } from "../../../toolbox/definition/groups.ts";
import { commandPrinter, mayColour, print, printProblem, printResult } from "../../terminal/print.ts";
import { openRunLog } from "../../terminal/run_log.ts";
import { callShape, readObject, wordsToArguments } from "./parse_tool_words.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { toolHelp } from "./tool_help.ts";
import type { OperationEnd } from "../../../operation/operation.ts";

const EXAMPLE = 'as in "ahma_mcp call git_status --short"';

/** How another subcommand calls a tool. */
export interface CallForm {
  /** The argument that takes all words without dashes. */
  readonly rest: string;
  /** The exit code for a result. */
  readonly exitCode: (result: CallToolResult) => number;
}

/** Calls the named tool; resolves with its exit code. `form` undefined: it is that of `call` itself. */
export async function call(context: CommandContext, form?: CallForm): Promise<number> {
  const { environment, warnings } = context;
  const typed = wantedCall(context);
  const settings = {
    ...context.settings,
    bundles: bundlesFor(typed.name, context.settings.bundles),
    pool: false,
    hotReload: false,
    synchronous: true,
    toolPrefix: "",
    lean: { servers: false, toolFiles: false },
    codeMode: undefined,
  };
  await using log = openRunLog({ settings, warnings, environment });
  await using program = await compose({ settings, environment, log: log.logger });
  log.start();
  const { service } = program;
  const wanted = withSubcommand(await service.catalog(), typed);
  const tool = await findTool(service, wanted);
  if (asksForHelp(wanted.words) && !tool.shape.arguments.some(isHelp)) {
    await print(toolHelp(tool.definition, tool.shape, colours(mayColour(environment))));
    return 0;
  }
  const shape = form === undefined ? tool.shape : { ...tool.shape, rest: { name: form.rest, joined: false } };
  const args = wordsToArguments(shape, wanted.words);
  if (!args.ok) throw new UsageError(args.problem);
  const named = tool.isLeaf ? tool.definition.name : wanted.name;
  const asked = (flag: "result-json" | "quiet") => context.flags.has(flag) || args.value.switches.includes(flag);
  const given = { ...wanted.args, ...await withOwnInput(args.value.args) };
  return await run(service, { name: named, args: given }, {
    stop: context.stop,
    asJson: asked("result-json"),
    quiet: asked("quiet"),
    exitCode: form?.exitCode,
  });
}

/** `--stdin -` passes the stdin of this program to the tool. */
async function withOwnInput(args: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
  if (args["stdin"] !== "-") return args;
  if (Deno.stdin.isTerminal()) throw new UsageError('Cannot use "--stdin -": nothing is piped in, this is a terminal');
  return { ...args, stdin: await new Response(Deno.stdin.readable).text() };
}

interface Wanted {
  readonly name: string;
  /** The arguments of `--tool-args`. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The words after the name. */
  readonly words: readonly string[];
}

function wantedCall({ flags, operands }: CommandContext): Wanted {
  const named = flags.get("tool-name")?.[0];
  const [name, words] = named === undefined ? [operands[0], operands.slice(1)] : [named, operands];
  if (name === undefined) throw new UsageError(`Cannot call a tool: its name is missing, ${EXAMPLE}`);
  const args = readObject(flags.get("tool-args")?.[0] ?? "{}");
  if (!args.ok) throw new UsageError(`Cannot use flag "--tool-args": ${args.problem}`);
  return { name, args: args.value, words };
}

/** A sequence of this shipped file calls the tools of the others. */
const NEEDS_OTHERS = "quality_check";

/** The bundles for a tool: the chosen ones, else the shipped file with this tool, which needs no flag here. */
function bundlesFor(tool: string, chosen: readonly string[]): readonly string[] {
  if (chosen.length > 0) return chosen;
  if (tool.startsWith(NEEDS_OTHERS)) return ["all"];
  const group = groupOf(tool);
  if (group !== undefined) return [group];
  return BUNDLE_NAMES.filter((name) => tool === name || tool.startsWith(`${name}_`));
}

/** The deepest nesting of subcommands that is tried. */
const DEEPEST = 4;

/** Reads `git status` as the leaf `git_status`: words after a tool without such a leaf are its subcommand. */
function withSubcommand(catalog: Catalog, wanted: Wanted): Wanted {
  if (resolveCall(catalog, wanted.name, wanted.args).ok) return wanted;
  for (let count = 1; count <= Math.min(DEEPEST, wanted.words.length); count++) {
    const subcommand = wanted.words.slice(0, count);
    if (subcommand.at(-1)?.startsWith("-")) break;
    const resolved = resolveCall(catalog, wanted.name, { ...wanted.args, subcommand: subcommand.join(" ") });
    if (resolved.ok) return { ...wanted, name: resolved.value.leaf.name, words: wanted.words.slice(count) };
  }
  return wanted;
}

interface FoundTool {
  readonly definition: Tool;
  readonly shape: ReturnType<typeof callShape>;
  readonly isLeaf: boolean;
}

/** The tool with this name, or of the older form with `subcommand` among the arguments. */
async function findTool(service: Service, { name, args, words }: Wanted): Promise<FoundTool> {
  const catalog = await service.catalog();
  const { plain: definitions } = await toolList(service)();
  const resolved = resolveCall(catalog, name, args);
  const leaf = resolved.ok ? resolved.value.leaf : undefined;
  const definition = leaf === undefined ? definitions.find((one) => one.name === name) : leafTool(leaf, service);
  if (definition !== undefined) {
    return {
      definition,
      shape: callShape(definition, leaf),
      isLeaf: leaf !== undefined && args.subcommand === undefined,
    };
  }
  if (!resolved.ok && resolved.problem.kind === "unknown_subcommand") {
    const [word = "-"] = words;
    const typed = word.startsWith("-") ? resolved : resolveCall(catalog, name, { subcommand: word, ...args });
    throw new UsageError((typed.ok ? resolved : typed).problem.message);
  }
  const missing = catalog.unavailable?.find((one) => one.names.includes(name));
  if (missing !== undefined) throw new UsageError(`Cannot call "${name}": it is not available: ${reasonOf(missing)}`);
  const known = [...definitions.map((one) => one.name), ...catalog.byName.keys(), ...nativeNames()];
  const guess = didYouMean(name, known);
  throw new UsageError(`Cannot call "${name}": there is no such tool${guess || '; "ahma_mcp list-tools" names them'}`);
}

interface Manner {
  /** Aborted when a signal asks for the end. */
  readonly stop: AbortSignal;
  readonly asJson: boolean;
  readonly quiet: boolean;
  /** Undefined: that of the operation. */
  readonly exitCode: CallForm["exitCode"] | undefined;
}

async function run(service: Service, wanted: ToolCall, { stop, asJson, quiet, exitCode }: Manner): Promise<number> {
  const unread = new AbortController();
  const started: Operation[] = [];
  const output = commandPrinter();
  const unsubscribe = service.registry.subscribe(({ operation, to }) => {
    if (!started.includes(operation)) started.push(operation);
    if (to !== "running" || asJson) return;
    operation.watchOutput((chunk) => {
      if (!output.write(chunk)) unread.abort(output.problem() ?? "The output is no longer read");
    });
  });
  try {
    const result = await callTool(service, wanted, {
      signal: AbortSignal.any([stop, unread.signal]),
      sendProgress: undefined,
      unhurried: true,
    });
    const operation = started[0];
    output.end();
    if (asJson) await print(`${JSON.stringify(result, null, 2)}\n`);
    else if (operation === undefined) await printResult(result);
    else if (!quiet) {
      const notes = [...sandboxNotes(operation), protectedNote(operation), statusLine(operation)];
      await printProblem(notes.filter((note) => note !== "").join("\n"));
    }
    const problem = output.problem();
    if (problem !== undefined) throw new UserError(`Cannot write the output: ${problem}`);
    if (exitCode !== undefined) return exitCode(result);
    // No operation was started: the result is an answer, or the arguments were wrong.
    if (operation === undefined) return result.isError === true ? 2 : 0;
    return await exitCodeOf(operation.end);
  } finally {
    unsubscribe();
  }
}

/** Words after `--` belong to a program, which may have its own help. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? words.length : end).some((word) => word === "--help" || word === "-h");
}

function isHelp({ name, alias }: { readonly name: string; readonly alias?: string }): boolean {
  return name === "help" || name === "--help" || alias === "h";
}

/** As `timeout` does it (coreutils). */
const TIMED_OUT = 124;
/** As shells do it for SIGINT. */
const CANCELLED = 130;
const NOT_STARTED = 1;

/** The exit code that tells a shell how an operation ended (requirement L5): the command's own, where it has one. */
export async function exitCodeOf(end: OperationEnd | undefined): Promise<number> {
  if (end?.state === "timed_out") return TIMED_OUT;
  if (end?.state === "cancelled") return CANCELLED;
  const command = end?.command;
  if (command?.kind === "exited") return command.code;
  if (command?.kind !== "signalled") return NOT_STARTED;
  const { constants } = await import("node:os");
  const numbers: Readonly<Record<string, number>> = { ...constants.signals };
  return 128 + (numbers[command.signal] ?? 0);
}
