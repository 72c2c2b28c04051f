/** `ps --watch` (V1): a table that follows what servers tell; in a pipe a line for each operation that begins or ends. */
import { encodeText } from "../../../base/text.ts";
import { WatchedServers } from "../../../control/client/watched_servers.ts";
import type { ListedOperation } from "../../../control/protocol/messages.ts";
import type { UnixStreams } from "../../../system/sockets/unix_stream.ts";
import { oneLine } from "../../terminal/columns.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { isOnTerminal, printBytes } from "../../terminal/print.ts";
import { messageText } from "../../terminal/terminal_text.ts";
import { operationsAsJson, tableFor } from "./ps_output.ts";

/** A screen of its own without a cursor, and the way back. */
const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";
/** The upper left corner; each line is cleared behind its end, and what is below them. */
const HOME = "\x1b[H";
const LINE_END = "\x1b[K\r\n";
const REST = "\x1b[J";

/** Resolves with the exit code when a signal asks for the end, or the pipe is closed. */
export async function watchOperations(streams: UnixStreams, context: CommandContext): Promise<number> {
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
