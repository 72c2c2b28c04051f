/** The outcome of a command's look-up of a name, or of its connection to it (S30). */
export interface NetworkUse {
  /** As the command asked for it; an address if it has no name. */
  readonly name: string;
  /** Absent: only the name was asked for. */
  readonly port?: number;
  /** Where the connection went; absent: nowhere. */
  readonly address?: string;
  readonly bytesOut: number;
  readonly bytesIn: number;
  /** Names of the secrets that were put into its requests (S33); absent or empty: none. */
  readonly secrets?: readonly string[];
  /** Absent: it was not refused. */
  readonly refused?: NetworkRefusal;
}

/** Why a connection was refused. */
export interface NetworkRefusal {
  /** The end of a sentence that begins with the name, without the full stop. */
  readonly reason: string;
  /** A flag of the server with which a person could allow it; absent: none does. */
  readonly flag?: string;
  /** The question that a person can answer with `ahma_mcp grants allow` (S35); absent: there is none. */
  readonly question?: string;
}
