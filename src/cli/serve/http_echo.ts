/** The echo on the terminal (H9): with --debug, or when stderr is a terminal. */
import { type Echo, NO_ECHO } from "../../bridge/traffic_echo.ts";
import { colours } from "../terminal/colours.ts";
import { printProblem } from "../terminal/print.ts";
import { redactFields, redactText } from "../../logging/redact.ts";
import { parseJson } from "../../wire/json_value.ts";
import type { Settings } from "../../settings/settings.ts";

/** Limit of the queue for a slow terminal, which misses messages beyond it. */
const MOST_WAITING = 200;
/** Characters shown of one message. */
const LONGEST = 8 * 1024;

/** The echo of this run: JSON with two spaces, other text as it is, without secrets; it writes to stderr in order. */
export function httpEcho({ debug }: Pick<Settings, "debug">, environment: Readonly<Record<string, string>>): Echo {
  const terminal = Deno.stderr.isTerminal();
  if (!debug && !terminal) return NO_ECHO;
  const { cyan, green, red } = colours(terminal && (environment["NO_COLOR"] ?? "") === "");
  const print = boundedPrinter();
  const show = (session: string, label: string, value: unknown) => {
    const text = typeof value === "object" && value !== null
      ? JSON.stringify(redactFields({ ...value }), null, 2)
      : redactText(String(value));
    const shown = text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}\n... ${text.length - LONGEST} more`;
    print(`[${session.slice(0, 8)}] ${label} ${shown}`);
  };
  const out = (session: string, message: unknown) => show(session, green("← STDOUT:"), message);
  return {
    in: (session, message) => show(session, cyan("→ STDIN:"), message),
    out,
    events(session, chunk) {
      for (const [, data = ""] of new TextDecoder().decode(chunk).matchAll(/(?:^|\n)data: ([^\n]*)/g)) {
        // A part of a long event is not JSON.
        const parsed = parseJson(data);
        if (data !== "") out(session, parsed.ok ? parsed.value : data);
      }
    },
    error: (session, line) => show(session, red("⚠ STDERR:"), line),
  };
}

/** Prints in order; what a terminal that does not keep up would be late with is counted instead. */
function boundedPrinter(): (text: string) => void {
  let waiting = 0;
  let missed = 0;
  let last = Promise.resolve();
  const printNext = (text: string) => {
    waiting++;
    last = last.then(() => printProblem(text.trimEnd())).finally(() => waiting--);
  };
  return (text) => {
    if (waiting >= MOST_WAITING) {
      missed++;
      return;
    }
    if (missed > 0) printNext(`... ${missed} messages are not shown: the terminal did not keep up`);
    missed = 0;
    printNext(text);
  };
}
