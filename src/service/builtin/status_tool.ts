/** `status` (B3): an overview of operations, tools and the sandbox, or a part of one output; never waits. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { UnavailableTool } from "../../catalog/model/leaf.ts";
import { reasonOf } from "../../catalog/load/availability.ts";
import { diagnosticLines } from "../../base/diagnostic.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { lastLines, type ViewLimits } from "../../operation/output/text_view.ts";
import { isEnded } from "../../operation/operation.ts";
import {
  type BuiltinTool,
  BY_ID_ONLY,
  OPERATION_PARAMETER,
  toolFilter,
  TOOLS_PARAMETER,
  unknownOperation,
} from "./builtin_tool.ts";
import type { BuiltinArguments } from "../builtin_parameters.ts";
import { duration } from "../../base/time.ts";
import { activeLine, headingOf, OPERATION_META_KEY, operationMeta, statusLine } from "../result/closing_line.ts";
import { outputPart, partRequest } from "./output_part.ts";
import { imitationNote } from "../result/imitation.ts";
import { errorResult, joinLines, outputSoFar, styleOf, textResult } from "../result/result_text.ts";
import { shorten } from "../../base/visible_text.ts";
import { sandboxLine, withListedNames } from "../result/listed_texts.ts";
import type { CallContext, Service } from "../service.ts";

const DEFAULT_LIMIT = 10;
const RUNNING_OUTPUT: ViewLimits = { bytes: 400, lines: 3 };
/** Names of unavailable tools on one line. */
const MOST_NAMES = 4;

export const STATUS_TOOL: BuiltinTool = {
  name: "status",
  title: "Status of operations",
  describe: () =>
    "Shows running, queued and recently ended operations, unavailable tools, the sandbox and the scope; with " +
    "operation_id and lines or offset, that part of its output.",
  annotations: { idempotentHint: true, openWorldHint: false },
  parameters: [
    OPERATION_PARAMETER,
    TOOLS_PARAMETER,
    {
      name: "lines",
      kind: "text",
      description: 'Of its output: "7", "7-200", "7-"; "-20": the last 20.',
    },
    { name: "offset", kind: "offset", description: "Its output from this byte on." },
    { name: "limit", kind: "count", description: `Most of each kind; default ${DEFAULT_LIMIT}.` },
  ],
  appendsFinished: false,
  call: showStatus,
};

async function showStatus(service: Service, args: BuiltinArguments, context: CallContext): Promise<CallToolResult> {
  const id = args.text("operation_id");
  const part = partRequest(args);
  if (!part.ok) return errorResult(part.problem);
  if (id !== undefined) {
    const operation = service.registry.get(id);
    if (operation === undefined) return errorResult(unknownOperation(service, id));
    return part.value === undefined
      ? showOne(service, operation, context)
      : await outputPart(operation, part.value, service.settings);
  }
  if (part.value !== undefined) return errorResult('Cannot run "status": "lines" and "offset" need an operation_id');
  const { sandbox } = service.settings;
  const [{ diagnostics, unavailable }, summary, ofSources] = await Promise.all([
    service.catalog(),
    sandbox.details?.() ?? sandbox.summary,
    Promise.all(
      [...service.sources, ...service.prompts, ...service.resources].map((source) => source.status?.() ?? []),
    ),
  ]);
  // Last, because operations may end while the rest is asked for.
  const shown = selectOperations(service, args);
  const { running, queued, ended } = shown;
  return textResult([
    service.registry.byIdOnly
      ? `Operations are not listed: ${BY_ID_ONLY}`
      : `${running.length} running, ${queued.length} queued, ${ended.length} ended and kept`,
    ...section("Running", running, shown.limit, (operation) => describeActive(service, operation)),
    ...section("Queued", queued, shown.limit, (operation) => describeActive(service, operation)),
    ...section(
      "Ended, newest first",
      ended,
      shown.limit,
      (operation) => `${statusLine(operation)} ${headingOf(operation)}${networkNote(operation)}`,
    ),
    ...service.shells?.statusLines() ?? [],
    ...checkLines(service),
    ...diagnosticLines("Tool files:", diagnostics),
    ...unavailableLines(unavailable ?? []),
    ...ofSources.flat(),
    sandboxLine({ ...sandbox, summary }),
    `Scope: ${service.scope.roots.join(", ")}`,
  ].join("\n"));
}

function selectOperations(service: Service, args: BuiltinArguments) {
  const all = service.registry.list().filter(toolFilter(args.text("tools")));
  return {
    limit: args.number("limit") ?? DEFAULT_LIMIT,
    running: all.filter((operation) => operation.state === "running"),
    queued: all.filter((operation) => operation.state === "queued"),
    ended: all.filter((operation) => isEnded(operation.state)).toReversed(),
  };
}

function showOne(service: Service, operation: Operation, context: CallContext): CallToolResult {
  const facts = isEnded(operation.state)
    ? `${statusLine(operation)} ${operation.tool}: ${operation.title}`
    : activeLine(service, operation);
  const output = outputSoFar(operation, styleOf(service, context));
  return {
    ...textResult(joinLines(facts, output === "" ? "[no output]" : output, imitationNote(output, operation))),
    _meta: { [OPERATION_META_KEY]: operationMeta(operation, undefined) },
  };
}

function section(
  title: string,
  operations: readonly Operation[],
  limit: number,
  describe: (operation: Operation) => string,
): readonly string[] {
  if (operations.length === 0) return [];
  const more = operations.length > limit ? [`... ${operations.length - limit} more`] : [];
  return [`${title}:`, ...operations.slice(0, limit).map(describe), ...more];
}

function describeActive(service: Service, operation: Operation): string {
  const output = lastLines(operation.output, RUNNING_OUTPUT, { keepAnsi: service.settings.keepAnsi }).trimEnd();
  const indented = output.split("\n").map((line) => `\n  ${line}`).join("");
  return `${activeLine(service, operation)}${networkNote(operation)}${output === "" ? "" : indented}`;
}

/** What its ended connections came to; empty: it has made none by name. */
function networkNote({ network: { bytesOut, bytesIn, refusals } }: Operation): string {
  const carried = bytesOut + bytesIn === 0 ? [] : [`${bytesOut} bytes out, ${bytesIn} in`];
  const notes = [...carried, ...refusals === 0 ? [] : [`${refusals} refused`]];
  return notes.length === 0 ? "" : ` (network: ${notes.join(", ")})`;
}

function checkLines(service: Service): readonly string[] {
  const running = service.checks?.list() ?? [];
  if (running.length === 0) return [];
  return [
    withListedNames(service, "Checks of tool files running (`cancel` ends one):"),
    ...running.map(({ id, argv, startedAt }) =>
      `${id} for ${duration(Date.now() - startedAt)}: ${shorten(argv.join(" "))}`
    ),
  ];
}

function unavailableLines(unavailable: readonly UnavailableTool[]): readonly string[] {
  if (unavailable.length === 0) return [];
  return [
    "Not available:",
    ...unavailable.map((one) => {
      const more = one.names.length > MOST_NAMES ? ` and ${one.names.length - MOST_NAMES} more` : "";
      return `${one.names.slice(0, MOST_NAMES).join(", ")}${more}: ${reasonOf(one)}`;
    }),
  ];
}
