/** Parses a Mermaid state diagram into states and arms (K7). Pure. */
import type { Arm, Condition, StateKind } from "./flow.ts";
import { END } from "./flow.ts";

/** An unchecked diagram. */
export interface Diagram {
  /** Targets of `[*]`, with their lines. */
  readonly starts: readonly { readonly state: string; readonly line: number }[];
  readonly states: ReadonlyMap<string, DiagramState>;
  /** Lines that are not valid in a diagram. */
  readonly unread: readonly { readonly text: string; readonly line: number }[];
}

export interface DiagramState {
  readonly kind: StateKind;
  readonly arms: readonly Arm[];
  readonly line: number;
}

const ARM = /^(\[\*\]|[\w-]+)\s*-->\s*(\[\*\]|[\w-]+)\s*(?::\s*(.*?))?\s*$/;
const KIND = /^state\s+([\w-]+)\s*<<(choice|fork|join)>>\s*$/i;
const DESCRIBED = /^(?:state\s+(?:"[^"]*"\s+as\s+)?)?([\w-]+)\s*(?::.*)?$/;
/** Lines that are ignored. */
const OTHER =
  /^(?:stateDiagram(?:-v2)?|direction\s+\w+|%%.*|note\s+(?:left|right)\s+of\s.*|end\s+note|classDef\s.*|class\s.*|)$/i;

/** Parses the lines of a diagram; `firstLine` is the number of the first one in the file. */
export function parseDiagram(text: string, firstLine: number): Diagram {
  const starts: { state: string; line: number }[] = [];
  const unread: { text: string; line: number }[] = [];
  const states = new Map<string, { kind: StateKind; arms: Arm[]; line: number }>();
  const stateOf = (name: string, line: number) => {
    const known = states.get(name) ?? { kind: "normal" as StateKind, arms: [], line };
    states.set(name, known);
    return known;
  };
  let inNote = false;
  for (const [index, raw] of text.split("\n").entries()) {
    const line = firstLine + index;
    const words = raw.trim();
    if (inNote || /^note\s+(?:left|right)\s+of\s+[^:]*$/i.test(words)) {
      inNote = !/^end\s+note$/i.test(words);
      continue;
    }
    if (OTHER.test(words)) continue;
    const arm = ARM.exec(words);
    const kind = KIND.exec(words);
    const described = DESCRIBED.exec(words);
    if (arm !== null) {
      const [, from = "", to = "", label = ""] = arm;
      if (to !== END) stateOf(to, line);
      if (from === END) starts.push({ state: to, line });
      else stateOf(from, line).arms.push({ to, condition: conditionOf(label), label, line });
    } else if (kind !== null) {
      stateOf(kind[1] ?? "", line).kind = kind[2]?.toLowerCase() as StateKind; // one of the pattern's words
    } else if (described !== null) stateOf(described[1] ?? "", line);
    else unread.push({ text: words, line });
  }
  return { starts, states, unread };
}

const OPERATORS = /==|!=|&&|\|\||[.(<>]/;

/** The condition that the label of an arm means. */
export function conditionOf(label: string): Condition {
  const text = label.trim();
  if (text === "" || /^always$/i.test(text)) return { kind: "always" };
  if (/^default$/i.test(text)) return { kind: "default" };
  if (OPERATORS.test(text)) return { kind: "expression", text };
  if (/\b(?:fail\w*|error|invalid)\b/i.test(text)) return { kind: "failure" };
  if (/\b(?:success\w*|valid)\b/i.test(text)) return { kind: "success" };
  return { kind: "expression", text };
}
