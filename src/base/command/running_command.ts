/** A command while it runs: what the system tells of it, and what can be given to it. */
export interface RunningCommand {
  /** Whether one of its processes listens at this TCP port, in its own network or the machine's. */
  listensAt(port: number): boolean;
  /** Whether a process is one of its own. */
  holds(process: number): boolean;
  /**
   * The wait of a process that is blocked in a read of the input that it was given: another text for each wait. Undefined:
   * none is, as far as that is known.
   */
  inputWait(): string | undefined;
  /** What its processes use at this moment; undefined: this system does not tell. */
  usage(): ProcessUsage | undefined;
  /** Absent: its input was given whole, or is empty. */
  readonly input?: CommandInput;
}

/** What the processes of a command use. */
export interface ProcessUsage {
  /** How many there are. */
  readonly processes: number;
  /** Resident memory, in bytes; what several of them share counts in each. */
  readonly memoryBytes: number;
  /** Processor time, in milliseconds, also of those that ended below another one. */
  readonly processorMs: number;
}

/** The open input of a running command. */
export interface CommandInput {
  /**
   * Settles when the bytes are handed over. `by`: who types, where it is not the client; only the audit log tells them
   * apart. @throws {Error} When nothing reads them.
   */
  write(bytes: Uint8Array, by?: "person"): Promise<void>;
  /** Ends the input; once is enough. On a terminal it types ctrl-d. */
  close(): Promise<void>;
  /** Absent: it is a pipe. */
  readonly terminal?: CommandTerminal;
}

/** The terminal that a command has to itself. */
export interface CommandTerminal {
  /** What it began with. */
  readonly size: { readonly columns: number; readonly rows: number };
  /** Whether what is typed is not shown, as where a password is asked. */
  readonly hidesInput: boolean;
  /** Whether it has output that was not read yet. */
  readonly hasOutput: boolean;
  /** Tells its programs of another size. */
  resize(size: { readonly columns: number; readonly rows: number }): void;
}
