/** How one leaf of a shipped tool file is tried with the real program. */
export interface Row {
  /** The MCP tool name. */
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** Rows that name the same one are tried there in turn, so that one has what another made. Default: one of its own. */
  readonly directory?: string;
  /** A shell line that makes the row's directory ready, before the first row is tried. */
  readonly setup?: string;
  /** Must be in the result. Default: anything that is no error. */
  readonly expected?: RegExp;
  /** A shell line that must succeed afterwards: what the tool did. In a shared directory it comes before the next row. */
  readonly effect?: string;
  /** The result is an error by design, and `expected` says which; `perhaps`: the machine decides whether it is one. */
  readonly fails?: true | "perhaps";
  /** A shell line, outside the sandbox, that fails where this part of the program is not installed. */
  readonly needs?: string;
}
