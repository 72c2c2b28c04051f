/** Operations of all servers as a table for people (V1). Pure. */
import { counted } from "../../../base/text.ts";
import { duration } from "../../../base/time.ts";
import type { ListedOperation, ListedServer } from "../../../control/protocol/messages.ts";
import type { Colours } from "../../terminal/colours.ts";
import { cut, oneLine, padded, widthOf } from "../../terminal/columns.ts";

export interface TableStyle {
  /** Columns that a line may take. */
  readonly width: number;
  readonly colours: Colours;
  /** Shown as `~`; absent: nothing is. */
  readonly home?: string | undefined;
}

/** Of those that have ended. */
const MOST_ENDED = 10;
/** Fewest columns for the command. */
const LEAST_COMMAND = 24;
const GAP = "  ";

interface Row {
  readonly server: ListedServer;
  readonly operation: ListedOperation;
}

interface Column {
  readonly title: string;
  readonly longest: number;
  /** A narrow terminal leaves out the lowest rank first; absent: the column stays. */
  readonly rank?: number;
  readonly text: (row: Row, home: string | undefined) => string;
}

const COLUMNS: readonly Column[] = [
  { title: "OPERATION", longest: 29, text: ({ operation }) => operation.id },
  { title: "STATE", longest: 9, text: ({ operation }) => operation.state.replace("_", " ") },
  { title: "TIME", longest: 12, text: ({ operation }) => duration(operation.elapsedMs) },
  { title: "CPU", longest: 12, rank: 4, text: ({ operation: { usage } }) => usage ? duration(usage.processorMs) : "-" },
  { title: "MEMORY", longest: 9, rank: 5, text: ({ operation: { usage } }) => usage ? sizeOf(usage.memoryBytes) : "-" },
  { title: "SERVER", longest: 8, rank: 1, text: ({ server }) => `${server.pid}` },
  { title: "CLIENT", longest: 20, rank: 2, text: ({ operation }) => operation.client ?? "-" },
  { title: "PROJECT", longest: 28, rank: 3, text: ({ server }, home) => placeOf(server, home) },
  { title: "TOOL", longest: 20, rank: 6, text: ({ operation }) => operation.tool },
];

/** What runs and what ended last; where nothing runs, the servers that could run something. It ends with a newline. */
export function operationTable(servers: readonly ListedServer[], style: TableStyle): string {
  const { colours, width } = style;
  const rows = rowsOf(servers);
  const shown = rows.filter(({ operation }) => operation.ended === undefined);
  const ended = rows.slice(shown.length, shown.length + MOST_ENDED);
  const left = rows.length - shown.length - ended.length;
  const lines = [
    summaryOf(servers, shown.map(({ operation }) => operation)),
    ...shown.length === 0 ? servers.map((one) => `  ${one.pid}${GAP}${one.mode}${GAP}${placeOf(one, style.home)}`) : [],
    ...rows.length === 0 ? [] : tableOf([...shown, ...ended], style),
    ...left > 0 ? [`and ${left} more that ended: --json has them`] : [],
  ];
  return `${
    lines.map((line, index) => index === 0 ? colours.bold(cut(line, width)) : cutLine(line, style)).join("\n")
  }\n`;
}

/** Running ones first, in order of arrival, then what waits, then what ended, the last first. */
export function rowsOf(servers: readonly ListedServer[]): readonly Row[] {
  const rows = servers.flatMap((server) => server.operations.map((operation) => ({ server, operation })));
  const rank = ({ operation: { state } }: Row) => state === "running" ? 0 : state === "queued" ? 1 : 2;
  const endOf = ({ operation: { created = 0, elapsedMs } }: Row) => created + elapsedMs;
  return rows.toSorted((one, other) =>
    rank(one) - rank(other) ||
    (rank(one) === 2 ? endOf(other) - endOf(one) : (one.operation.created ?? 0) - (other.operation.created ?? 0))
  );
}

function summaryOf(servers: readonly ListedServer[], active: readonly ListedOperation[]): string {
  if (servers.length === 0) return "Nothing runs: there is no server of yours on this machine";
  const of = counted(servers.length, "server");
  const queued = active.filter(({ state }) => state === "queued").length;
  if (active.length === 0) return `Nothing runs. There ${servers.length === 1 ? "is" : "are"} ${of}:`;
  return `${active.length - queued} running${queued > 0 ? `, ${queued} queued` : ""}, of ${of}`;
}

function tableOf(rows: readonly Row[], style: TableStyle): readonly string[] {
  const { colours, width, home } = style;
  const cells = COLUMNS.map((column) => {
    const texts = rows.map((row) => cut(oneLine(column.text(row, home)), column.longest));
    return { ...column, texts, width: Math.max(column.title.length, ...texts.map(widthOf)) };
  });
  const kept = fitting(cells, width - LEAST_COMMAND);
  const before = (at: number | undefined) =>
    kept.map((one) => padded(at === undefined ? one.title : one.texts[at] ?? "", one.width) + GAP).join("");
  const room = Math.max(0, width - widthOf(before(undefined)));
  const lines = rows.map(({ operation }, at) => {
    const line = `${before(at)}${cut(oneLine(operation.title), room)}`;
    if (operation.ended === undefined) return line;
    return operation.state === "completed" ? colours.dim(line) : colours.red(line);
  });
  return [colours.dim(`${before(undefined)}COMMAND`), ...lines];
}

/** The columns that there is room for. */
function fitting<One extends Column & { readonly width: number }>(
  columns: readonly One[],
  room: number,
): readonly One[] {
  const needed = columns.reduce((sum, one) => sum + one.width + GAP.length, 0);
  const first = columns.filter(({ rank }) => rank !== undefined)
    .toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0))[0];
  return needed <= room || first === undefined ? columns : fitting(columns.filter((one) => one !== first), room);
}

/** A line of the table is never wider than the terminal, whatever its columns need. */
function cutLine(line: string, { colours, width }: TableStyle): string {
  // deno-lint-ignore no-control-regex -- our own marks, which take no columns
  const plain = line.replaceAll(/\x1b\[\d+m/g, "");
  if (widthOf(plain) <= width) return line;
  return line === plain ? cut(plain, width) : colours.dim(cut(plain, width));
}

/** The first scope; its end where it is long. */
function placeOf({ scopes: [scope = "", ...more] }: ListedServer, home: string | undefined): string {
  const short = home !== undefined && (scope === home || scope.startsWith(`${home}/`))
    ? `~${scope.slice(home.length)}`
    : scope;
  const shown = oneLine(short);
  const tail = shown.length <= 26 ? shown : `…${shown.slice(-25).toWellFormed()}`;
  return more.length === 0 ? tail : `${tail} +${more.length}`;
}

/** `512 KiB`, `1.5 GiB`. */
export function sizeOf(bytes: number): string {
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = bytes / 1024;
  let at = 0;
  for (; value >= 1000 && at < units.length - 1; at++) value /= 1024;
  return `${at < 2 ? Math.ceil(value) : value.toFixed(1)} ${units[at]}`;
}
