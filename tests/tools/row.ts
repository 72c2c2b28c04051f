/** How one leaf of a shipped tool file is tried with the real program. */
export interface Row {
  /** The MCP tool name. */
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** A shell line that makes the row's own directory ready. */
  readonly setup?: string;
  /** Must be in the result. Default: anything that is no error. */
  readonly expected?: RegExp;
  /** A shell line that must succeed afterwards: what the tool did. */
  readonly effect?: string;
  /** The result is an error by design, and `expected` says which; `perhaps`: the machine decides whether it is one. */
  readonly fails?: true | "perhaps";
  /** A shell line, outside the sandbox, that fails where this part of the program is not installed. */
  readonly needs?: string;
}
