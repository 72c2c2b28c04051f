/** Shows the traffic of the server on a terminal (H9). The caller decides about colour and output. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";

export interface Echo {
  /** Shows a message to the server; `session` is the id, of which the beginning is shown. */
  in(session: string, message: unknown): void;
  /** Shows a message of the server. */
  out(session: string, message: JSONRPCMessage): void;
  /** Shows a part of a stream of events to a client. */
  events(session: string, chunk: Uint8Array): void;
  /** Shows a line of a server's stderr. */
  error(session: string, line: string): void;
}

/** Shows nothing. */
export const NO_ECHO: Echo = {
  in() {},
  out() {},
  events() {},
  error() {},
};

interface EchoOptions {
  /** Writes one text to the terminal. */
  readonly print: (text: string) => void;
  /** Removes secrets from a JSON value. */
  readonly redact: (value: unknown) => unknown;
  readonly colour: boolean;
}

const CYAN = 36;
const GREEN = 32;
const RED = 31;
/** Characters shown of one message. */
const LONGEST = 8 * 1024;

/** Formats JSON with two spaces; other text stays as it is. */
export function terminalEcho({ print, redact, colour }: EchoOptions): Echo {
  const paint = (code: number, text: string) => colour ? `\x1b[${code}m${text}\x1b[0m` : text;
  const show = (session: string, [code, label]: readonly [number, string], value: unknown) => {
    const safe = redact(value);
    const text = typeof safe === "string" ? safe : JSON.stringify(safe, null, 2);
    const shown = text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n... ${text.length - LONGEST} more`;
    print(`[${session.slice(0, 8)}] ${paint(code, label)} ${withoutControls(shown)}\n`);
  };
  return {
    in: (session, message) => show(session, [CYAN, "→ STDIN:"], message),
    out: (session, message) => show(session, [GREEN, "← STDOUT:"], message),
    events(session, chunk) {
      for (const [, data = ""] of new TextDecoder().decode(chunk).matchAll(/(?:^|\n)data: ([^\n]*)/g)) {
        if (data !== "") show(session, [GREEN, "← STDOUT:"], parsed(data));
      }
    },
    error: (session, line) => show(session, [RED, "⚠ STDERR:"], line),
  };
}

/** A part of a long event is no JSON. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return data;
    throw thrown;
  }
}

/** Escapes control characters, so that a server cannot draw on the terminal. */
function withoutControls(text: string): string {
  // deno-lint-ignore no-control-regex -- they are what is looked for
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "�");
}
