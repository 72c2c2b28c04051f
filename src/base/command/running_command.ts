/** A command while it runs: what the system tells of it, and what can be given to it. */
export interface RunningCommand {
  /** Whether one of its processes listens at this TCP port, in its own network or the machine's. */
  listensAt(port: number): boolean;
  /** Whether one of its processes is blocked in a read of the input that it was given. False: not that is known. */
  waitsForInput(): boolean;
  /** Absent: its input was given whole, or is empty. */
  readonly input?: CommandInput;
}

/** The open input of a running command. */
export interface CommandInput {
  /** Settles when the bytes are handed over. @throws {Error} When nothing reads them any more. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the input; once is enough. */
  close(): Promise<void>;
}
