/** `ps` (V1): what all servers of this user run: a document, a table once or as it changes, or in a pipe a line for each change. */
import { encodeText } from "../../../base/text.ts";
import { findServers } from "../../../control/client/running_servers.ts";
import { WatchedServers } from "../../../control/client/watched_servers.ts";
import type { ListedOperation, ListedServer } from "../../../control/protocol/messages.ts";
import type { UnixStreams } from "../../../system/sockets/unix_stream.ts";
import { colours } from "../../terminal/colours.ts";
import { oneLine } from "../../terminal/columns.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { isOnTerminal, mayColour, print, printBytes, printProblems, terminalWidth } from "../../terminal/print.ts";
import { messageText } from "../../terminal/terminal_text.ts";
import { operationTable } from "./ps_table.ts";
import { openStreams } from "./your_servers.ts";

/** Of a line in a pipe. */
const WIDTH_IN_PIPE = 400;
/** A screen of its own without a cursor, and the way back. */
const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";
/** The upper left corner; each line is cleared behind its end, and what is below them. */
const HOME = "\x1b[H";
const LINE_END = "\x1b[K\r\n";
const REST = "\x1b[J";

/** Resolves with the exit code; 1: a server did not answer. @throws {UserError} On a system without sockets. */
export async function ps(context: CommandContext): Promise<number> {
  const { flags, environment } = context;
  using streams = openStreams("list operations");
  if (flags.has("watch")) return await watchOperations(streams, context);
  const { servers, problems } = await findServers(streams, environment, { request: "list", usage: true });
  const listed = servers.map(({ server }) => server);
  if (flags.has("json")) await print(operationsAsJson(listed));
  // A server that does not answer may run anything.
  else if (listed.length > 0 || problems.length === 0) await print(tableFor(listed, environment));
  return await printProblems(problems);
}

/** Until a signal asks for the end, or the pipe is closed. */
async function watchOperations(streams: UnixStreams, context: CommandContext): Promise<number> {
  const { flags, environment, stop } = context;
  const isDrawn = isOnTerminal() && !flags.has("json");
  let changed = Promise.withResolvers<void>();
  const told: ListedOperation[] = [];
  const wake = () => changed.resolve();
  await using watched = new WatchedServers({
    streams,
    environment,
    onChange({ operation, isNewState }) {
      if (operation !== undefined && isNewState) told.push(operation);
      wake();
    },
  });
  stop.addEventListener("abort", wake, { once: true });
  if (isDrawn) Deno.addSignalListener("SIGWINCH", wake);
  try {
    if (isDrawn) await printBytes(encodeText(ENTER));
    await watched.look();
    for (let isRead = true; isRead && !stop.aborted;) {
      const lines = linesOf(told.splice(0));
      const { servers } = watched;
      const text = flags.has("json") ? operationsAsJson(servers, 0) : lines;
      isRead = await printBytes(encodeText(isDrawn ? frameOf(tableFor(servers, environment)) : text));
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    if (isDrawn) {
      Deno.removeSignalListener("SIGWINCH", wake);
      await printBytes(encodeText(LEAVE));
    }
  }
  return 0;
}

/** The lines that the terminal has room for. */
function frameOf(table: string): string {
  const { rows } = Deno.consoleSize();
  const lines = messageText(table).split("\n").slice(0, Math.max(1, rows - 2));
  return `${HOME}${lines.map((line) => `${line}${LINE_END}`).join("")}${REST}`;
}

function linesOf(operations: readonly ListedOperation[]): string {
  return operations.map(({ id, state, tool, title, ended }) =>
    messageText(`${id}  ${state}  ${ended === undefined ? `${oneLine(tool)}: ${oneLine(title)}` : oneLine(ended)}\n`)
  ).join("");
}

function operationsAsJson(servers: readonly ListedServer[], indent = 2): string {
  return `${JSON.stringify({ servers }, null, indent)}\n`;
}

function tableFor(servers: readonly ListedServer[], environment: CommandContext["environment"]): string {
  return operationTable(servers, {
    width: terminalWidth() ?? WIDTH_IN_PIPE,
    colours: colours(mayColour(environment)),
    home: environment["HOME"],
  });
}
