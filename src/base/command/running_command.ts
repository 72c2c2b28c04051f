/** A running command: what the system reports of it, and its input. */
export interface RunningCommand {
  /** Whether one of its processes listens at this TCP port, in its own network or the machine's. */
  listensAt(port: number): boolean;
  /** Whether a process is one of its own. */
  holds(process: number): boolean;
  /**
   * Identifies the current wait of a process that is blocked reading its input; each wait has another text. Undefined:
   * no process is known to be blocked.
   */
  inputWait(): string | undefined;
  /** What its processes use at this moment; undefined: this system does not report it. */
  usage(): ProcessUsage | undefined;
  /** Absent: its input was given completely at the start, or is empty. */
  readonly input?: CommandInput;
}

/** What the processes of a command use. */
export interface ProcessUsage {
  /** How many there are. */
  readonly processes: number;
  /** Resident memory, in bytes; memory that processes share counts in each. */
  readonly memoryBytes: number;
  /** Processor time, in milliseconds, including ended child processes. */
  readonly processorMs: number;
}

/** The open input of a running command. */
export interface CommandInput {
  /**
   * Settles when the bytes are handed over. `by`: who types, where it is not the client; only the audit log tells them
   * apart. @throws {Error} When nothing reads them.
   */
  write(bytes: Uint8Array, by?: "person"): Promise<void>;
  /** Ends the input; further calls do nothing. On a terminal it types ctrl-d. */
  close(): Promise<void>;
  /** Absent: it is a pipe. */
  readonly terminal?: CommandTerminal;
}

/** The terminal that a command has to itself. */
export interface CommandTerminal {
  /** The size it started with. */
  readonly size: { readonly columns: number; readonly rows: number };
  /** Whether typed characters are hidden, as at a password prompt. */
  readonly hidesInput: boolean;
  /** Whether it has unread output. */
  readonly hasOutput: boolean;
  /** Tells its programs of another size. */
  resize(size: { readonly columns: number; readonly rows: number }): void;
}
