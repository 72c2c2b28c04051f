/** Which server has what a person names (X24). Pure. */
import { failure, type Outcome, success } from "../../../base/outcome.ts";
import { duration } from "../../../base/time.ts";
import { shorten } from "../../../base/visible_text.ts";
import type { FoundServer } from "../../../control/client/running_servers.ts";
import { NO_SERVER } from "./choose_operation.ts";
import type { ListedOperation } from "../../../control/protocol/messages.ts";

const LONGEST_TITLE = 80;
const LONGEST_NAME = 40;

/** The server that has the operation or the shell. The problem says what there is instead. */
export function chooseTarget(servers: readonly FoundServer[], name: string): Outcome<FoundServer> {
  const operations = servers.flatMap(({ server }) => server.operations);
  const withOperation = servers.find(({ server }) => server.operations.some(({ id }) => id === name));
  if (withOperation !== undefined) {
    const ended = operations.find(({ id }) => id === name)?.ended;
    return ended === undefined
      ? success(withOperation)
      : failure(`it has ended: ${ended}. Its agent can still read its output, with status`);
  }
  const sessions = servers.flatMap((found) =>
    found.server.sessions.filter((session) => session.name === name).map((session) => ({ found, session }))
  );
  const [first, second] = sessions;
  if (first !== undefined && second === undefined) return success(first.found);
  if (first !== undefined) {
    const busy = sessions.flatMap(({ session }) => session.operation ?? []);
    const way = busy.length === 0 ? "None of them runs anything now" : `Name an operation: ${busy.join(", ")}`;
    return failure(`${sessions.length} agents have a session of that name. ${way}`);
  }
  if (servers.length === 0) return failure(NO_SERVER);
  return failure(`no server of yours runs it. ${whatRuns(servers)}`);
}

/** What can be attached to, a line each. */
export function whatRuns(servers: readonly FoundServer[]): string {
  const lines = servers.flatMap(({ server: { operations, sessions, scopes } }) => {
    const place = shorten(scopes[0] ?? "", LONGEST_TITLE);
    return [
      ...operations.filter(({ ended }) => ended === undefined).map((one) => `  ${operationLine(one)} (${place})`),
      ...sessions.filter(({ operation }) => operation === undefined).map(({ name, directory }) =>
        `  ${shorten(name, LONGEST_NAME)}: a session that runs nothing now (${shorten(directory, LONGEST_TITLE)})`
      ),
    ];
  });
  return lines.length === 0 ? "Nothing runs" : `Running:\n${lines.join("\n")}`;
}

/** `op_… sandboxed_shell, session dev, running for 3.2 s: npm run dev`. */
export function operationLine({ id, tool, title, state, elapsedMs, session }: ListedOperation): string {
  const where = session === undefined ? "" : `, session ${shorten(session, LONGEST_NAME)}`;
  return `${id} ${tool}${where}, ${state} for ${duration(elapsedMs)}: ${shorten(title, LONGEST_TITLE)}`;
}
