/**
 * Denials that the output shows without a path (S15), by names of functions, files and errors, which are the same in
 * every language.
 */
import type { Denial, OperationDenial } from "../../base/command/denial.ts";
import { closesUnixSockets } from "./denied_operations.ts";
import { isWithin } from "../../system/paths.ts";
import { LONGEST_TEXT } from "./mentioned_paths.ts";
import { errorsIn } from "./printed_errors.ts";
import type { DenialContext, EndedCommand } from "./question.ts";

/** Functions that create or reach a Unix socket: Python's, Go's. Node's `listen EACCES` names a path. */
const SOCKET_TRACE =
  /\bAF_UNIX\b|multiprocessing\/connection\.py|\bforkserver\.py|\bunix_events\.py|\b_socket\.socket\.__init__|\bdial unix\b/;
/** Python prints this for any such error. */
const NO_TERMINALS = /\bout of pty devices\b/;
const TERMINAL_TRACE =
  /\/dev\/ptmx|\b(?:openpty|forkpty|posix_openpt|pty\.fork)\b|pseudo-?terminal|\bout of pty devices\b/i;

/** What traces in the command and its output mean, if the output has an error too. */
export function tracedDenials(
  { words, output }: Pick<EndedCommand, "words" | "output">,
  { policy, scopes }: Pick<DenialContext, "policy" | "scopes">,
): readonly OperationDenial[] {
  const printed = output.slice(-LONGEST_TEXT);
  const errors = errorsIn(printed);
  if (errors.size === 0 && !NO_TERMINALS.test(printed)) return [];
  const text = `${words.join("\n").slice(0, LONGEST_TEXT)}\n${printed}`;
  const denied = (
    operation: OperationDenial["operation"],
    subject: string,
    reason: string,
    flags: readonly string[],
  ) => [
    { operation, subject, reason, scope: scopes, flags },
  ];
  const closed = closesUnixSockets(policy) && (errors.has("EACCES") || errors.has("EPERM"));
  const sockets = policy.confinement.unixSockets === "private"
    ? "commands make Unix sockets for connections only, and reach none of other programs"
    : "commands can neither make nor reach Unix sockets";
  const terminals = "commands have no pseudo-terminals (/dev/ptmx)";
  return [
    ...closed && SOCKET_TRACE.test(text) ? denied("unix_socket", "AF_UNIX", sockets, ["--unix-sockets allow"]) : [],
    ...policy.terminals !== true && TERMINAL_TRACE.test(text)
      ? denied("pseudo_terminal", "/dev/ptmx", terminals, [])
      : [],
  ];
}

/** The same denials, but one in place of the paths of terminals. */
export function withoutTerminals(denials: readonly Denial[]): readonly Denial[] {
  if (!denials.some((one) => "operation" in one && one.operation === "pseudo_terminal")) return denials;
  return denials.filter((one) => !("path" in one && (one.path === "/dev/ptmx" || isWithin(one.path, "/dev/pts"))));
}

/** Where system package managers keep their databases. */
const PACKAGES = ["dpkg", "apt", "rpm", "dnf", "yum", "pacman", "apk", "zypp", "zypper"]
  .flatMap((name) => [`/var/lib/${name}`, `/var/cache/${name}`]).concat("/lib/apk", "/etc/apk", "/etc/apt");

/** The same denials, but one in place of all those of a system package manager. */
export function withoutPackages(denials: readonly Denial[], scopes: readonly string[]): readonly Denial[] {
  const path = denials.map((one) => "path" in one ? one.path : "").find((one) =>
    PACKAGES.some((tree) => isWithin(one, tree))
  );
  if (path === undefined) return denials;
  const reason = "system packages are not for commands; a person can install them";
  const one: OperationDenial = { operation: "system_packages", subject: path, reason, scope: scopes, flags: [] };
  return [one, ...denials.filter((denial) => !("path" in denial) || denial.protected === true)];
}

/** Denials for a read-only error that no path explains; otherwise empty. */
export function unnamedWrites(output: string, found: readonly Denial[], scopes: readonly string[]): readonly Denial[] {
  if (found.length > 0 || !isReadOnlyError(output)) return [];
  const reason = "outside the scope everything is read-only; temporary files belong in $TMPDIR";
  return [{ operation: "write", subject: "", reason, scope: scopes, flags: [] }];
}

/** Whether something could not be changed, wherever. */
export function isReadOnlyError(output: string): boolean {
  return errorsIn(output.slice(-LONGEST_TEXT)).has("EROFS");
}
