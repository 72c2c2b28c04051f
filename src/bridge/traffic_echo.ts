/** Shows a person what goes to and comes from the server (H9). Colour and where it is written are the caller's. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";

export interface Echo {
  /** A message that goes to the server. `session`: its id; only the beginning is shown. */
  in(session: string, message: unknown): void;
  /** A message of the server. */
  out(session: string, message: JSONRPCMessage): void;
  /** A piece of a stream of events that goes to a client. */
  events(session: string, chunk: Uint8Array): void;
  /** A line that a server wrote to its stderr. */
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
  /** Takes secrets out of a JSON value. */
  readonly redact: (value: unknown) => unknown;
  readonly colour: boolean;
}

const CYAN = 36;
const GREEN = 32;
const RED = 31;
/** One message shows at most this many characters. */
const LONGEST = 8 * 1024;

/** Shows JSON with two spaces, and what is no JSON as it is. */
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

/** A long event comes in pieces, which are no JSON. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return data;
    throw thrown;
  }
}

/** A server must not be able to draw on the terminal. */
function withoutControls(text: string): string {
  // deno-lint-ignore no-control-regex -- they are what is looked for
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "�");
}
