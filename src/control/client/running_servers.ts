/** The servers of this user, found by their entries; the entry of a dead one is removed (X24). */
import { withTimeout } from "../../base/time.ts";
import type { UnixStreams } from "../../system/sockets/unix_stream.ts";
import { controlDirectories, isPrivateDirectory } from "../place/control_directories.ts";
import { entriesIn, type Entry, removeDeadEntries } from "../place/entries.ts";
import type { ControlEvent, ControlRequest, ListedServer, ListRequest } from "../protocol/messages.ts";
import { ServerLine } from "./server_line.ts";

/** The time for a server to answer, milliseconds. */
const ANSWER_MS = 5_000;

/** A server that answered. */
export interface FoundServer {
  readonly entry: Entry;
  readonly server: ListedServer;
}

/** The servers, and a sentence for each that did not answer. */
export interface FoundServers {
  readonly servers: readonly FoundServer[];
  readonly problems: readonly string[];
}

/** Asks every server of this user what it runs; `request` absent: without the resource usage of processes. */
export async function findServers(
  streams: UnixStreams,
  environment: Readonly<Record<string, string>>,
  request: ListRequest = { request: "list" },
): Promise<FoundServers> {
  const servers: FoundServer[] = [];
  const problems: string[] = [];
  for (const { path } of controlDirectories(environment)) {
    if (!await isPrivateDirectory(path)) continue;
    await removeDeadEntries(path);
    const asked = (await entriesIn(path)).map(async (entry) => {
      const answer = await askServer(streams, entry, request);
      if (answer?.event === "server") servers.push({ entry, server: answer.server });
      if (answer?.event === "refused") problems.push(`The server at "${entry.socket}" refused: ${answer.problem}`);
    });
    await Promise.all(asked);
  }
  return { servers, problems };
}

/** The first event of a server, within `answerMs`; undefined: it is dead. @throws {Error} when refused. */
export async function askServer(
  streams: UnixStreams,
  entry: Entry,
  request: ControlRequest,
  answerMs = ANSWER_MS,
): Promise<ControlEvent | undefined> {
  using line = await ServerLine.open(streams, entry);
  if (line === undefined) return undefined;
  const { value } = await withTimeout(
    (async () => {
      await line.request(request);
      return await line.events.next();
    })(),
    answerMs,
  ) ?? { value: { event: "refused", problem: `it did not answer within ${answerMs / 1000} s` } as const };
  return value;
}
