/** Key of `_meta` for what the sandbox denied to a call. */
export const DENIED_META_KEY = "ahma/sandbox_denied";

/** A path that a command mentioned and that its sandbox denies to it (S15). States the policy, not a cause. */
export type Denial = PathDenial | OperationDenial;

export interface PathDenial extends DenialFacts {
  /** Canonical and absolute. */
  readonly path: string;
  /** What commands may not do there. */
  readonly access: readonly ("read" | "write")[];
  /** It lies in the scope, and programs outside the sandbox obey it (S8). */
  readonly protected?: true;
  /** It is among credentials: commands see nothing there, and the result says so. */
  readonly hidden?: true;
  /** Commands read a copy of it without secrets. */
  readonly copied?: true;
  /** Where such files belong instead. */
  readonly instead?: string;
}

/** An action that is denied everywhere. */
export interface OperationDenial extends DenialFacts {
  /**
   * - `network`: connect to the host `subject`.
   * - `unix_socket`: create or connect to the socket at the path `subject`, or any socket (`AF_UNIX`).
   * - `program`: do what the program `subject` is for.
   * - `system_call`: make the system call for which the signal `subject` ended a program.
   * - `pseudo_terminal`: open one (`/dev/ptmx`).
   * - `system_packages`: change what the package manager holds at `subject`.
   * - `ssh_agent`: get a signature from the user's ssh agent.
   * - `write`: change a path that the output does not name.
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
  /** The rule, as a sentence without the full stop. */
  readonly reason: string;
}

interface DenialFacts {
  /** The trees commands can change. */
  readonly scope: readonly string[];
  /** Flags of the server with which a person could allow it; empty: none does, or none should. */
  readonly flags: readonly string[];
  /** The question that waits for a person in a terminal (S35); absent: none does. */
  readonly question?: string;
  /** How the machine's policy forbids such flags, as a sentence without the full stop; absent: it does not. */
  readonly policy?: string;
  /** The answer of the person who was asked, a sentence without the full stop; absent: no person was asked. */
  readonly answer?: string;
}

/** The denial as a sentence. It states the rule and leaves the conclusion to the reader. */
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
