/** A child server: a stdio MCP server as a child process, independent of how it is started and confined. */

export interface ChildServer {
  /** Writes to its stdin; resolves when the child has taken the bytes, or is gone. Never rejects. */
  write(bytes: Uint8Array): Promise<void>;
  /** Asks it to end in its own way. */
  askToEnd(): Promise<void>;
  /** Ends it and everything below it at once. */
  kill(): void;
  /** How it ended, as a sentence; never rejects. */
  readonly ended: Promise<string>;
}

export interface ChildServerHooks {
  /**
   * Receives stdout in order. The memory of the chunk is reused after the return; a returned promise pauses the reading
   * until it settles.
   */
  readonly onOutput: (chunk: Uint8Array) => Promise<void> | undefined;
  /** Receives a line of stderr. */
  readonly onErrorLine: (line: string) => void;
}

/** Starts a child server. Rejects when it cannot be started; the message says why. */
export type StartChildServer = (hooks: ChildServerHooks) => Promise<ChildServer>;

/** Asks a child to end, kills it after `graceMs`, and resolves when it has ended. */
export async function endChild(child: ChildServer, graceMs: number): Promise<void> {
  const timer = setTimeout(() => child.kill(), graceMs);
  await child.askToEnd();
  await child.ended;
  clearTimeout(timer);
}
