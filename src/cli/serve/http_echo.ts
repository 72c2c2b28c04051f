/** The echo on the terminal (H9): with --debug, or when stderr is a terminal. */
import { type Echo, NO_ECHO, terminalEcho } from "../../bridge/traffic_echo.ts";
import { printProblem } from "../terminal/print.ts";
import { redactFields, redactText } from "../../logging/redact.ts";
import type { Settings } from "../../settings/settings.ts";

/** Limit of the queue for a slow terminal, which misses messages beyond it. */
const MOST_WAITING = 200;

/** The echo of this run; it writes to stderr in order. */
export function httpEcho({ debug }: Pick<Settings, "debug">, environment: Readonly<Record<string, string>>): Echo {
  const terminal = Deno.stderr.isTerminal();
  if (!debug && !terminal) return NO_ECHO;
  let waiting = 0;
  let missed = 0;
  let last = Promise.resolve();
  const printNext = (text: string) => {
    waiting++;
    last = last.then(() => printProblem(text.trimEnd())).finally(() => waiting--);
  };
  return terminalEcho({
    print(text) {
      if (waiting >= MOST_WAITING) {
        missed++;
        return;
      }
      if (missed > 0) printNext(`... ${missed} messages are not shown: the terminal did not keep up`);
      missed = 0;
      printNext(text);
    },
    redact: (value) =>
      typeof value === "object" && value !== null ? redactFields({ ...value }) : redactText(String(value)),
    colour: terminal && (environment["NO_COLOR"] ?? "") === "",
  });
}
