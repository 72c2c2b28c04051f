/** Names of keys and the control sequences that xterm sends for them (X22). */
import { failure, type Outcome, success } from "../../base/outcome.ts";

const ESCAPE = "\x1b";
const KEYS: Readonly<Record<string, string>> = {
  enter: "\r",
  tab: "\t",
  esc: ESCAPE,
  space: " ",
  backspace: "\x7f",
  delete: `${ESCAPE}[3~`,
  insert: `${ESCAPE}[2~`,
  pageup: `${ESCAPE}[5~`,
  pagedown: `${ESCAPE}[6~`,
  "shift-tab": `${ESCAPE}[Z`,
  f1: `${ESCAPE}OP`,
  f2: `${ESCAPE}OQ`,
  f3: `${ESCAPE}OR`,
  f4: `${ESCAPE}OS`,
  f5: `${ESCAPE}[15~`,
  f6: `${ESCAPE}[17~`,
  f7: `${ESCAPE}[18~`,
  f8: `${ESCAPE}[19~`,
  f9: `${ESCAPE}[20~`,
  f10: `${ESCAPE}[21~`,
  f11: `${ESCAPE}[23~`,
  f12: `${ESCAPE}[24~`,
};
/** Keys that send another sequence if the program has switched to application mode. */
const CURSOR: Readonly<Record<string, string>> = { up: "A", down: "B", right: "C", left: "D", home: "H", end: "F" };
const CONTROL = /^ctrl-([a-z@[\]\\^_])$/;
const ALT = /^alt-([!-~])$/;

/** The sequences of these keys. `applicationKeys`: the program has switched the cursor keys to application mode. */
export function keySequence(
  keys: readonly string[],
  { applicationKeys }: { readonly applicationKeys: boolean },
): Outcome<string> {
  const sent: string[] = [];
  for (const key of keys) {
    const name = key.toLowerCase();
    const cursor = CURSOR[name];
    const [, control] = CONTROL.exec(name) ?? [];
    const [, alt] = ALT.exec(key) ?? [];
    const sequence = KEYS[name] ??
      (cursor !== undefined ? `${ESCAPE}${applicationKeys ? "O" : "["}${cursor}` : undefined) ??
      (control !== undefined ? String.fromCharCode(control.toUpperCase().charCodeAt(0) & 31) : undefined) ??
      (alt !== undefined ? `${ESCAPE}${alt}` : undefined);
    if (sequence === undefined) {
      const names = [...Object.keys(KEYS), ...Object.keys(CURSOR), "ctrl-c", "alt-x"].join(", ");
      return failure(`there is no key ${JSON.stringify(key)}: known are ${names}`);
    }
    sent.push(sequence);
  }
  return success(sent.join(""));
}
