/** Which operation a person names: by its id, the beginning of one, or SERVER/ID (V1). Pure. */
import { failure, type Outcome, success } from "../../../base/outcome.ts";
import { closest } from "../../../base/suggest.ts";
import { duration } from "../../../base/time.ts";
import { shorten } from "../../../base/visible_text.ts";
import type { FoundServer } from "../../../control/client/running_servers.ts";
import type { ListedOperation } from "../../../control/protocol/messages.ts";

const MOST_NAMED = 5;
const LONGEST_TITLE = 60;

/** Why a person's servers have nothing of a name. */
export const NO_SERVER =
  "no server of yours runs on this machine. A server is found where its HOME, XDG_STATE_HOME and XDG_RUNTIME_DIR are " +
  "those of this terminal";

/** The parts of a name. Ids are in capitals, and begin with `op_`, which need not be typed. */
export function splitName(name: string): { readonly pid: number | undefined; readonly beginning: string } {
  const [, pid, rest = ""] = /^(?:(\d+)\/)?(.*)$/s.exec(name) ?? [];
  const digits = rest.replace(/^op_/i, "").toUpperCase();
  return { pid: pid === undefined ? undefined : Number(pid), beginning: `op_${digits}` };
}

interface Candidate {
  readonly found: FoundServer;
  readonly operation: ListedOperation;
}

/** The operation. The problem names those that it could be. */
export function chooseOperation(servers: readonly FoundServer[], name: string): Outcome<Candidate> {
  const { pid, beginning } = splitName(name);
  const all = servers.flatMap((found) => found.server.operations.map((operation) => ({ found, operation })));
  const ofServer = all.filter(({ found }) => pid === undefined || found.server.pid === pid);
  const begun = ofServer.filter(({ operation: { id } }) => beginning !== "op_" && id.startsWith(beginning));
  const exact = begun.filter(({ operation: { id } }) => id === beginning);
  const meant = exact.length > 0 ? exact : begun;
  const [first, second] = meant;
  if (first !== undefined && second === undefined) return success(first);
  if (second !== undefined) return failure(`several operations are meant:${linesOf(meant, pathOf)}`);
  if (servers.length === 0) return failure(NO_SERVER);
  if (pid !== undefined && !servers.some(({ server }) => server.pid === pid)) {
    const pids = [...new Set(servers.map(({ server }) => server.pid))];
    return failure(`no server of yours has the process id ${pid}. There are ${pids.join(", ")}`);
  }
  return failure(`no server of yours has it. ${instead(ofServer, beginning)}`);
}

function instead(candidates: readonly Candidate[], beginning: string): string {
  const near = closest(beginning, candidates.map(({ operation }) => operation.id));
  const like = candidates.filter(({ operation: { id } }) => id === near);
  if (like.length > 0) return `Similar:${linesOf(like, idOf)}`;
  const running = candidates.filter(({ operation: { ended } }) => ended === undefined);
  return running.length === 0 ? "Nothing runs" : `Running:${linesOf(running, idOf)}`;
}

function linesOf(candidates: readonly Candidate[], nameOf: (one: Candidate) => string): string {
  const lines = candidates.slice(0, MOST_NAMED).map((one) => `\n  ${nameOf(one)} ${describe(one.operation)}`);
  const more = candidates.length - MOST_NAMED;
  return `${lines.join("")}${more > 0 ? `\n  and ${more} more` : ""}`;
}

/** `sandboxed_shell, running for 3.2 s: npm test`. */
export function describe({ tool, state, elapsedMs, title }: ListedOperation): string {
  return `${shorten(tool, LONGEST_TITLE)}, ${state} for ${duration(elapsedMs)}: ${shorten(title, LONGEST_TITLE)}`;
}

function idOf({ operation }: Candidate): string {
  return operation.id;
}

/** What names one among operations of several servers with the same id. */
function pathOf({ found, operation }: Candidate): string {
  return `${found.server.pid}/${operation.id}`;
}
