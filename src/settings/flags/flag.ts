/** The kind of a flag's value; a switch has none. */
export type FlagValue =
  | "none"
  | "choice"
  /** `full`, `localhost`, `none`, or a list of hosts. */
  | "network"
  /** `NAME=HOST`, with what requests may carry the secret. */
  | "secret"
  /** `NAME=` and a text. */
  | "assignment"
  | "text"
  | "directory"
  /** Of a variable. */
  | "name"
  /** Of shipped tool files and native tools. */
  | "bundle"
  | "count"
  | "number"
  | "limit"
  | "prefix"
  /** `HOST` or `HOST:PORT`. */
  | "host"
  /** Of web pages. */
  | "origin"
  /** `PORT` or `HOSTPORT:PORT`. */
  | "port"
  /** `all`, a number, or the name of a device node. */
  | "gpu";

/** One flag: its spelling, variable and help. */
export interface Flag {
  readonly value: FlagValue;
  /** How the help names the value; empty for a switch. */
  readonly placeholder: string;
  readonly help: string;
  /** The variable that sets the flag where the command line does not (requirement L7), after its name; absent: none. */
  readonly variable?: string;
  /** Repeated values are collected; variables hold lists. A project's values are added to the user's. */
  readonly repeatable?: true;
  /** For `choice`: what is allowed; for one with `narrowsOnly`, widest first. */
  readonly choices?: readonly string[];
  /** For `count`, `number` and `limit`: the smallest and the largest value allowed. */
  readonly range?: readonly [number, number];
  /** Allowed in a project's file, which commands can write: never what widens or hides anything (L7). */
  readonly project?: true;
  /** The largest value that a project's file may give; absent: no limit. */
  readonly projectMost?: number;
  /** The default. Projects may only narrow it or the user's value: a later choice, or a lower limit. */
  readonly narrowsOnly?: string;
  /** Belongs to subcommands that name it; absent: it belongs to the server. */
  readonly own?: true;
  /** A variable that is set but empty is refused instead of ignored: ignoring it would widen what commands reach. */
  readonly refuseEmpty?: true;
}

/** A row of the table. One without a value is a switch. A project may set a flag that has a bound for projects. */
export type FlagRow = Omit<Flag, "value" | "placeholder" | "variable"> & Partial<Pick<Flag, "value" | "placeholder">>;

/** The row of a flag with a value of this kind. */
export function taking(
  value: FlagValue,
  placeholder: string,
  help: string,
  rest: Omit<FlagRow, "value" | "placeholder" | "help"> = {},
): FlagRow {
  return { value, placeholder, help, ...rest };
}

/** The rows, as flags that belong to subcommands. */
export function ofSubcommands<Name extends string>(
  rows: Readonly<Record<Name, FlagRow>>,
): Readonly<Record<Name, FlagRow>> {
  const own = Object.entries<FlagRow>(rows).map(([name, row]) => [name, { ...row, own: true }]);
  return Object.fromEntries(own) as Record<Name, FlagRow>; // the same names
}

/** Whether it may be typed several times: lists of hosts are joined (S30), though elsewhere one text holds the whole list. */
export function mayRepeat({ value, repeatable }: Pick<Flag, "value" | "repeatable">): boolean {
  return repeatable === true || value === "network";
}

/** Kinds whose values hold no comma, so that one text may hold several of them. */
const SEPARATED: readonly FlagValue[] = ["choice", "name", "bundle", "port", "gpu", "host", "origin"];

/** The values in one word or text that a flag was given; never empty. */
export function valuesIn({ value, repeatable }: Flag, text: string): readonly string[] {
  if (repeatable !== true || !SEPARATED.includes(value)) return [text];
  const values = text.split(",").map((one) => one.trim()).filter((one) => one !== "");
  return values.length === 0 ? [text] : values;
}

/** The longest delay that a timer can hold, seconds. */
export const LONGEST_SECONDS = 2_147_483;
