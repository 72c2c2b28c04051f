/** Something a command mentioned that its sandbox keeps from it (S15). A fact about the policy, not about the cause. */
export interface Denial {
  /** Canonical and absolute. */
  readonly path: string;
  /** What commands may not do there. */
  readonly access: readonly ("read" | "write")[];
  /** The trees commands may change. */
  readonly scope: readonly string[];
  /** Flags of the server with which a person could allow it; empty: none does, or none should. */
  readonly flags: readonly string[];
}

/** The denial in a sentence. It says what holds and leaves the conclusion to the reader. */
export function denialSentence({ path, access, flags }: Denial): string {
  const advice = flags.length === 0 ? "" : ` A person can allow it: start the server with ${flags.join(" or ")}.`;
  const what = access.includes("read")
    ? "commands can neither read nor change it"
    : "commands can read but not change it";
  return `"${path}" lies outside the scope; ${what}.${advice}`;
}
