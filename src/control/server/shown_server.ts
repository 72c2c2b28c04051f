/** What a server shows to people of its own user. */
import { denialSentence } from "../../base/command/denial.ts";
import type { WaitingQuestions } from "../../base/command/grant_answer.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { isEnded } from "../../operation/operation.ts";
import type { Operation } from "../../operation/operation_record.ts";
import type { ShownConnection, ShownConnections } from "./shown_connections.ts";
import type { ListedOperation, ListedServer, ListedSession } from "../protocol/messages.ts";

export interface ShownServer {
  readonly facts: Omit<ListedServer, "operations" | "sessions" | "questions" | "granted" | keyof Described>;
  /** Facts that take a moment to determine; absent: there are none. */
  readonly describe?: () => Promise<Described>;
  /** The current connections. */
  readonly connections: ShownConnections;
  /** How an operation ended, on one line. */
  readonly describeEnd: (operation: Operation) => string;
  /** Absent: it runs without --ask. */
  readonly questions?: WaitingQuestions;
  /** Logs that a person ends an operation, before it is ended; absent: there is no audit log. */
  readonly auditKill?: (operation: Operation) => Promise<void>;
}

export type Described = Pick<ListedServer, "sandbox" | "behind">;

/** Which operations are listed, and with what. */
export interface ListOptions {
  /** As `ListRequest`. */
  readonly beginning?: string | undefined;
  readonly usage?: boolean | undefined;
}

/** Ended operations that are listed for each connection. */
const MOST_ENDED = 100;

/** The server with its operations. */
export function listedServer(server: ShownServer, { beginning, usage }: ListOptions = {}): ListedServer {
  const connections = [...server.connections];
  return {
    ...server.facts,
    operations: connections.flatMap((one) => {
      const all = one.registry.everything().filter(({ id }) => beginning === undefined || id.startsWith(beginning));
      const ended = all.filter(({ state }) => isEnded(state)).slice(-MOST_ENDED);
      return [...ended, ...all.filter(({ state }) => !isEnded(state))].map((operation) =>
        listedOperation(operation, one, { ...server, usage })
      );
    }),
    sessions: connections.flatMap(sessionsOf),
    ...server.questions !== undefined && {
      questions: server.questions.list(),
      granted: server.questions.sessionGrants(),
    },
  };
}

/** The same, with the facts that take a moment to determine. */
export async function describedServer(server: ShownServer, options: ListOptions): Promise<ListedServer> {
  const described = await server.describe?.();
  return { ...listedServer(server, options), ...described };
}

/** One operation of a connection. */
export function listedOperation(
  operation: Operation,
  { shells, client }: ShownConnection,
  { describeEnd, usage }: Pick<ShownServer, "describeEnd"> & Pick<ListOptions, "usage">,
): ListedOperation {
  const { id, tool, title, state, command, exclusive, createdAt: created, network } = operation;
  const denials = operation.end?.command?.denials ?? [];
  const used = usage === true ? command?.usage() : undefined;
  const session = shells?.list().find(({ name }) => exclusive.includes(shells.exclusiveKey(name)))?.name;
  return {
    id,
    tool,
    title,
    state,
    elapsedMs: Math.max(0, (operation.endedAt ?? Date.now()) - (operation.startedAt ?? operation.createdAt)),
    ...command?.input !== undefined && { input: command.input.terminal === undefined ? "pipe" : "terminal" },
    ...session !== undefined && { session },
    ...isEnded(state) && { ended: describeEnd(operation) },
    created,
    ...client !== undefined && { client },
    ...operation.hasTerminal && { terminal: true },
    ...used !== undefined && { usage: used },
    ...denials.length > 0 && { denials: denials.map((one) => ({ text: denialSentence(one), flags: one.flags })) },
    ...network.bytesOut + network.bytesIn + network.refusals > 0 && { network },
  };
}

/** An operation with its connection. The problem is for the person. */
export function findOperation(
  { connections }: Pick<ShownServer, "connections">,
  id: unknown,
): Outcome<{ readonly connection: ShownConnection; readonly operation: Operation }> {
  for (const connection of connections) {
    const operation = connection.registry.get(String(id));
    if (operation !== undefined) return success({ connection, operation });
  }
  return failure("This server no longer knows it");
}

/** What runs in the named shell now; undefined: nothing. */
export function runningIn({ registry, shells }: ShownConnection, name: string): Operation | undefined {
  const key = shells?.exclusiveKey(name);
  if (key === undefined) return undefined;
  return registry.everything().find(({ state, exclusive }) => state === "running" && exclusive.includes(key));
}

function sessionsOf(connection: ShownConnection): readonly ListedSession[] {
  return connection.shells?.list().map(({ name, directory }) => {
    const operation = runningIn(connection, name)?.id;
    return { name, directory, ...operation !== undefined && { operation } };
  }) ?? [];
}
