/** A stdio MCP server as a process, whoever starts it and however confined it is. */

export interface ChildServer {
  /** Writes to its stdin; resolves when it took the bytes, or is gone. */
  write(bytes: Uint8Array): Promise<void>;
  /** Asks it to end in its own way. */
  askToEnd(): Promise<void>;
  /** Ends it and everything below it at once. */
  kill(): void;
  /** How it ended, in words; never rejects. */
  readonly ended: Promise<string>;
}

export interface ChildServerHooks {
  /**
   * stdout in order. The chunk's memory is used again when the callee returns; where it returns a promise, nothing more
   * is read before that settles.
   */
  readonly onOutput: (chunk: Uint8Array) => Promise<void> | undefined;
  /** A line of its stderr. */
  readonly onErrorLine: (line: string) => void;
}

/** Starts one. Rejects when it cannot be started; the message says why. */
export type StartChildServer = (hooks: ChildServerHooks) => Promise<ChildServer>;
