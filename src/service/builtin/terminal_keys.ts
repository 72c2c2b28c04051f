/** Names of keys and the control sequences that xterm sends for them (X22). */
import { failure, type Outcome, success } from "../../base/outcome.ts";

const ESCAPE = "\x1b";
const KEYS: ReadonlyMap<string, string> = new Map(Object.entries({
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
}));
/** Keys that send another sequence if the program has switched to application mode. */
const CURSOR: ReadonlyMap<string, string> = new Map(
  Object.entries({ up: "A", down: "B", right: "C", left: "D", home: "H", end: "F" }),
);
const CONTROL = /^ctrl-([a-z@[\]\\^_])$/;
const ALT = /^alt-([!-~])$/;
/** A key that types what it is called. */
const PLAIN = /^[!-~]$/;

/** The sequences of these keys. `applicationKeys`: the program has switched the cursor keys to application mode. */
export function keySequence(
  keys: readonly string[],
  { applicationKeys }: { readonly applicationKeys: boolean },
): Outcome<string> {
  const sent: string[] = [];
  for (const key of keys) {
    const name = key.toLowerCase();
    const cursor = CURSOR.get(name);
    const [, control] = CONTROL.exec(name) ?? [];
    const [, alt] = ALT.exec(key) ?? [];
    const sequence = KEYS.get(name) ??
      (cursor !== undefined ? `${ESCAPE}${applicationKeys ? "O" : "["}${cursor}` : undefined) ??
      (control !== undefined ? String.fromCharCode(control.toUpperCase().charCodeAt(0) & 31) : undefined) ??
      (alt !== undefined ? `${ESCAPE}${alt}` : undefined) ?? PLAIN.exec(key)?.[0];
    if (sequence === undefined) {
      const names = [...KEYS.keys(), ...CURSOR.keys(), "ctrl-c", "alt-x", "q"].join(", ");
      return failure(`there is no key ${JSON.stringify(key)}: known are ${names}`);
    }
    sent.push(sequence);
  }
  return success(sent.join(""));
}
