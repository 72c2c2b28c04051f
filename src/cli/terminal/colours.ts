/** Functions that mark text for a terminal. */
export interface Colours {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  readonly cyan: (text: string) => string;
}

/** Marks with ANSI colours. */
export const COLOURED: Colours = {
  bold: mark("1"),
  dim: mark("2"),
  red: mark("31"),
  yellow: mark("33"),
  green: mark("32"),
  cyan: mark("36"),
};

/** Marks nothing, for files and pipes. */
export const PLAIN: Colours = { bold: same, dim: same, red: same, yellow: same, green: same, cyan: same };

/** The marks to use. */
export function colours(on: boolean): Colours {
  return on ? COLOURED : PLAIN;
}

function mark(code: string): (text: string) => string {
  return (text) => `\x1b[${code}m${text}\x1b[0m`;
}

function same(text: string): string {
  return text;
}
