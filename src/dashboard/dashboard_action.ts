/** What a person does on the page: read from JSON, and passed on to the server that it concerns. */
import type { GrantAnswer } from "../base/command/grant_answer.ts";
import { GRANT_ANSWERS } from "../base/command/grant_answer.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import { shownValue } from "../base/text.ts";
import { askServer, type FoundServer } from "../control/client/running_servers.ts";
import { type ControlRequest, readInput, readSize } from "../control/protocol/messages.ts";
import type { UnixStreams } from "../system/sockets/unix_stream.ts";
import { isObject } from "../wire/json_value.ts";

/** What concerns a server, by the server's key. */
export type ServerAction =
  | { readonly action: "kill"; readonly server: string; readonly operation: string }
  | { readonly action: "answer"; readonly server: string; readonly question: string; readonly answer: GrantAnswer }
  | { readonly action: "take_back"; readonly server: string; readonly grant: string };

/** What concerns the changes of an operation; `paths` absent: all of them. */
export interface UndoAction {
  readonly action: "undo";
  readonly server: string;
  readonly operation: string;
  readonly paths?: readonly string[];
}

/** What concerns an output stream that the page reads. */
export type StreamAction =
  | { readonly action: "input"; readonly stream: string; readonly bytes: Uint8Array }
  | { readonly action: "end_input"; readonly stream: string }
  | { readonly action: "size"; readonly stream: string; readonly columns: number; readonly rows: number };

export type DashboardAction = ServerAction | UndoAction | StreamAction;

const ACTIONS = ["kill", "answer", "take_back", "undo", "input", "end_input", "size"] as const;
/** How long to wait until no process of an ended operation is left, milliseconds. */
const ANSWER_MS = 60_000;

/** The action of a body. The problem says what is wrong with it. */
export function readAction(value: unknown): Outcome<DashboardAction> {
  if (!isObject(value)) return failure("The action is not a JSON object");
  const action = ACTIONS.find((one) => one === value["action"]);
  if (action === undefined) {
    return failure(`The action ${shownValue(value["action"])} is unknown: known are ${ACTIONS.join(", ")}`);
  }
  const text = (name: string) => typeof value[name] === "string" ? value[name] : "";
  const [server, operation, stream] = [text("server"), text("operation"), text("stream")];
  switch (action) {
    case "kill":
      return success({ action, server, operation });
    case "answer": {
      const answer = GRANT_ANSWERS.find((one) => one === value["answer"]);
      if (answer === undefined) return failure(`The answer ${shownValue(value["answer"])} is unknown`);
      return success({ action, server, question: text("question"), answer });
    }
    case "take_back":
      return success({ action, server, grant: text("grant") });
    case "undo": {
      const { paths } = value;
      if (paths === undefined) return success({ action, server, operation });
      const isList = Array.isArray(paths) && paths.every((one) => typeof one === "string");
      return isList ? success({ action, server, operation, paths }) : failure("The paths are not a list of texts");
    }
    case "input": {
      const bytes = readInput(text("data"));
      return bytes.ok ? success({ action, stream, bytes: bytes.value }) : bytes;
    }
    case "end_input":
      return success({ action, stream });
    case "size": {
      const size = readSize(value);
      return size.ok ? success({ action, stream, ...size.value }) : size;
    }
  }
}

/** What was done, in one line. The problem: the server's reason, or that it has ended. */
export async function askFor(
  streams: UnixStreams,
  found: FoundServer | undefined,
  action: ServerAction,
): Promise<Outcome<string>> {
  if (found === undefined) return failure("That server has ended");
  const event = await askServer(streams, found.entry, requestOf(action), ANSWER_MS);
  if (event === undefined) return failure("That server has ended");
  return event.event === "refused" ? failure(event.problem) : success(event.event === "end" ? event.line : "Done");
}

function requestOf(action: ServerAction): ControlRequest {
  switch (action.action) {
    case "kill":
      return { request: "kill", operation: action.operation };
    case "answer":
      return { request: "answer", question: action.question, answer: action.answer };
    case "take_back":
      return { request: "take_back", grant: action.grant };
  }
}
