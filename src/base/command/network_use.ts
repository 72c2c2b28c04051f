/** What became of a name that a command asked for, or of a connection to it (S30). */
export interface NetworkUse {
  /** As the command asked for it; an address where no name stands for it. */
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
  /** A sentence without its end, to follow the name. */
  readonly reason: string;
  /** A flag of the server with which a person could allow it; absent: none does. */
  readonly flag?: string;
  /** The question that a person can answer with `ahma_mcp grants allow` (S35); absent: there is none. */
  readonly question?: string;
}
