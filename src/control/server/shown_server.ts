/** What a server shows to people of its own user. */
import type { WaitingQuestions } from "../../base/command/grant_answer.ts";
import { isEnded } from "../../operation/operation.ts";
import type { Operation } from "../../operation/operation_record.ts";
import type { OperationRegistry } from "../../operation/registry.ts";
import type { ListedOperation, ListedServer, ListedSession } from "../protocol/messages.ts";

/** The named shells of a connection. */
export interface ShownShells {
  list(): readonly { readonly name: string; readonly directory: string }[];
  /** What an operation of that shell has as its key, so that it runs alone there. */
  exclusiveKey(name: string): string;
}

/** A connection with what it runs. */
export interface ShownConnection {
  readonly registry: Pick<OperationRegistry, "everything" | "get" | "subscribe">;
  /** Absent: it can have none. */
  readonly shells?: ShownShells;
}

export interface ShownServer {
  readonly facts: Omit<ListedServer, "operations" | "sessions" | "questions" | "granted">;
  /** Those that there are now. */
  readonly connections: Iterable<ShownConnection>;
  /** How an operation ended, on one line. */
  readonly describeEnd: (operation: Operation) => string;
  /** Absent: it asks nothing. */
  readonly questions?: WaitingQuestions;
}

/** Ended operations that are listed for each connection. */
const MOST_ENDED = 100;

/** The server with its operations. */
export function listedServer(server: ShownServer): ListedServer {
  const connections = [...server.connections];
  return {
    ...server.facts,
    operations: connections.flatMap((one) => {
      const all = one.registry.everything();
      const ended = all.filter(({ state }) => isEnded(state)).slice(-MOST_ENDED);
      return [...ended, ...all.filter(({ state }) => !isEnded(state))].map((operation) =>
        listedOperation(operation, one, server)
      );
    }),
    sessions: connections.flatMap(sessionsOf),
    ...server.questions !== undefined && {
      questions: server.questions.list(),
      granted: server.questions.sessionGrants(),
    },
  };
}

/** One operation of a connection. */
export function listedOperation(
  operation: Operation,
  { shells }: ShownConnection,
  { describeEnd }: Pick<ShownServer, "describeEnd">,
): ListedOperation {
  const { id, tool, title, state, command, exclusive } = operation;
  const session = shells?.list().find(({ name }) => shells.exclusiveKey(name) === exclusive)?.name;
  return {
    id,
    tool,
    title,
    state,
    elapsedMs: Math.max(0, (operation.endedAt ?? Date.now()) - (operation.startedAt ?? operation.createdAt)),
    ...command?.input !== undefined && { input: command.input.terminal === undefined ? "pipe" : "terminal" },
    ...session !== undefined && { session },
    ...isEnded(state) && { ended: describeEnd(operation) },
  };
}

/** What runs in the named shell now; undefined: nothing. */
export function runningIn({ registry, shells }: ShownConnection, name: string): Operation | undefined {
  const key = shells?.exclusiveKey(name);
  return registry.everything().find(({ state, exclusive }) => state === "running" && exclusive === key);
}

function sessionsOf(connection: ShownConnection): readonly ListedSession[] {
  return connection.shells?.list().map(({ name, directory }) => {
    const operation = runningIn(connection, name)?.id;
    return { name, directory, ...operation !== undefined && { operation } };
  }) ?? [];
}
