/** Key of `_meta` for what the sandbox kept from a call. */
export const DENIED_META_KEY = "ahma/sandbox_denied";

/** Something a command mentioned that its sandbox keeps from it (S15). A fact about the policy, not about the cause. */
export type Denial = PathDenial | OperationDenial;

export interface PathDenial extends DenialFacts {
  /** Canonical and absolute. */
  readonly path: string;
  /** What commands may not do there. */
  readonly access: readonly ("read" | "write")[];
  /** It lies in the scope, and programs outside the sandbox obey it (S8). */
  readonly protected?: true;
  /** It lies in a place of credentials: for commands nothing is there, and the result says the same. */
  readonly hidden?: true;
  /** Commands read a copy of it without secrets. */
  readonly copied?: true;
  /** Where such a file belongs instead. */
  readonly instead?: string;
}

/** Something that may not be done, wherever. */
export interface OperationDenial extends DenialFacts {
  /**
   * - `network`: connect to the host `subject`.
   * - `unix_socket`: make or reach the socket at the path `subject`, or any (`AF_UNIX`).
   * - `program`: what the program `subject` is for.
   * - `system_call`: the one that a program was ended for by the signal `subject`.
   * - `pseudo_terminal`: open one (`/dev/ptmx`).
   * - `system_packages`: change what the package manager holds at `subject`.
   * - `ssh_agent`: have a signature of the user's ssh agent.
   * - `write`: change a place that the output does not name.
   */
  readonly operation:
    | "network"
    | "unix_socket"
    | "program"
    | "system_call"
    | "pseudo_terminal"
    | "system_packages"
    | "ssh_agent"
    | "write";
  readonly subject: string;
  /** What holds, as a sentence without its end. */
  readonly reason: string;
}

interface DenialFacts {
  /** The trees commands can change. */
  readonly scope: readonly string[];
  /** Flags of the server with which a person could allow it; empty: none does, or none should. */
  readonly flags: readonly string[];
  /** The question that waits for a person in a terminal (S35); absent: none does. */
  readonly question?: string;
  /** The machine's policy that keeps such flags from being given, as a sentence without its end; absent: none does. */
  readonly policy?: string;
  /** What a person who was asked has answered, a sentence without its end; absent: none was asked. */
  readonly answer?: string;
}

/** The denial in a sentence. It says what holds and leaves the conclusion to the reader. */
export function denialSentence(denial: Denial): string {
  const { flags, question, policy, answer } = denial;
  const ways = [
    ...question === undefined ? [] : [`run \`ahma_mcp grants allow ${question}\``],
    ...flags.length === 0 ? [] : [`start the server with ${flags.join(" or ")}`],
  ];
  const advice = ways.length === 0 ? "" : ` A person can allow it: ${ways.join(", or ")}.`;
  const told = answer === undefined ? advice : ` ${answer}.`;
  const held = policy === undefined ? "" : ` The ${policy.replace(/\.$/, "")}.`;
  return `${"path" in denial ? pathReason(denial) : denial.reason}.${told}${held}`;
}

function pathReason({ path, access, protected: isProtected, hidden, copied, instead }: PathDenial): string {
  if (hidden === true) return `"${path}" is hidden from commands, whether it exists or not`;
  if (copied === true) return `"${path}" is read by commands as a copy; a person can change it outside the sandbox`;
  if (instead !== undefined) return `"${path}" lies outside the scope; temporary files belong in ${instead}`;
  const what = access.includes("read")
    ? "commands can neither read nor change it"
    : "commands can read but not change it";
  return isProtected === true
    ? `"${path}" is protected, because programs outside the sandbox obey it; ${what}`
    : `"${path}" lies outside the scope; ${what}`;
}
