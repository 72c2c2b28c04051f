/** Numbers of the ANSI sequences that begin each mark. */
const CODES = { bold: 1, dim: 2, red: 31, yellow: 33, green: 32, cyan: 36 } as const;

/** Functions that mark text for a terminal. */
export type Colours = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

/** Marks with ANSI colours. */
export const COLOURED: Colours = marks((text, code) => `\x1b[${code}m${text}\x1b[0m`);

/** Marks nothing, for files and pipes. */
export const PLAIN: Colours = marks((text) => text);

/** The marks to use. */
export function colours(on: boolean): Colours {
  return on ? COLOURED : PLAIN;
}

function marks(mark: (text: string, code: number) => string): Colours {
  const named = Object.entries(CODES).map(([name, code]) => [name, (text: string) => mark(text, code)]);
  return Object.fromEntries(named) as Colours; // the names of the codes
}
