/** Output of an operation as a person gets it: on a terminal, or in a pipe (X24, S22). */
import { LineFeed } from "../../../operation/watch/line_feed.ts";
import { encodeText } from "../../../base/text.ts";
import { isOnTerminal, printBytes as print } from "../../terminal/print.ts";
import { TerminalFilter } from "../../terminal/terminal_text.ts";
import { resetSequence, ScreenTracker } from "./terminal_modes.ts";

/** Takes output. A write is false if the output is no longer read. */
export interface ShownOutput {
  /** What was written before a person came. */
  earlier(bytes: Uint8Array): Promise<boolean>;
  output(bytes: Uint8Array): Promise<boolean>;
  /** The rest, and the way back to a plain terminal. */
  end(): Promise<boolean>;
}

const IS_READ = true;

/** How output is shown: `hasTerminal`: the operation has a terminal of its own. */
export function shownOutput({ hasTerminal }: { readonly hasTerminal: boolean }): ShownOutput {
  return isOnTerminal() && hasTerminal ? passedThrough() : recordedOutput({ hasTerminal });
}

/** The same for output that is only read: it draws nothing. */
export function recordedOutput({ hasTerminal }: { readonly hasTerminal: boolean }): ShownOutput {
  if (isOnTerminal()) return filtered();
  return hasTerminal ? cleaned() : { earlier: print, output: print, end: () => Promise.resolve(IS_READ) };
}

/** A terminal to a terminal: what a program draws is drawn. What it asked the terminal before is not asked again. */
function passedThrough(): ShownOutput {
  const tracker = new ScreenTracker();
  return {
    earlier: (bytes) => print(plain(bytes)),
    output(bytes) {
      tracker.push(bytes);
      return print(bytes);
    },
    end: () => print(encodeText(`${resetSequence(tracker)}${tracker.isOther ? "" : "\r\n"}`)),
  };
}

function plain(bytes: Uint8Array): Uint8Array {
  const filter = new TerminalFilter();
  const text = new TextDecoder().decode(filter.push(bytes)) + new TextDecoder().decode(filter.end());
  return encodeText(text.replaceAll(/\r?\n/g, "\r\n"));
}

/** Colours are the only sequences. */
function filtered(): ShownOutput {
  const filter = new TerminalFilter();
  const output = (bytes: Uint8Array) => print(filter.push(bytes));
  return { earlier: output, output, end: () => print(filter.end()) };
}

/** Lines as a reader sees them. */
function cleaned(): ShownOutput {
  const lines = new LineFeed(0);
  const output = async (bytes: Uint8Array) => {
    const batch = lines.push(bytes);
    return batch === undefined || await print(encodeText(batch.text));
  };
  return {
    earlier: output,
    output,
    end: () => print(encodeText(lines.unfinished()?.text ?? "")),
  };
}
