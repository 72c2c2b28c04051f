/** JSON lines between a person's program and a server on a private socket (X24), the token first. Pure. */
import {
  GRANT_ANSWERS,
  type GrantAnswer,
  type SessionGrant,
  type WaitingQuestion,
} from "../../base/command/grant_answer.ts";
import type { ProcessUsage } from "../../base/command/running_command.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shownValue } from "../../base/text.ts";
import type { OperationEnd, OperationState } from "../../operation/operation.ts";
import { isObject, parseJson } from "../../wire/json_value.ts";

/** Increased with each change that an older program would misread. */
export const CONTROL_VERSION = 1;

/** The longest line of a person's program, bytes. */
export const LONGEST_LINE = 64 * 1024;

/** All requests; a new one needs a name here, and its answer in `server/open_control.ts`. */
export const REQUEST_NAMES = ["list", "attach", "answer", "take_back", "output", "kill"] as const;
export type RequestName = typeof REQUEST_NAMES[number];

/** A request as it came, its members not checked. */
export interface Request {
  readonly name: RequestName;
  readonly token: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** Columns and rows of a person's terminal. */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/** Asks what a server runs and has run. */
export interface ListRequest {
  readonly request: "list";
  /** All kept operations whose id begins with this; absent: those that run, and the last that ended. */
  readonly beginning?: string;
  /** With the resource usage of each operation. */
  readonly usage?: true;
  /** Changes follow until the client disconnects. */
  readonly follow?: true;
}

/** Asks for the output of an operation, and to type into it. */
export interface AttachRequest {
  readonly request: "attach";
  /** An operation's id, or the name of a shell. */
  readonly target: string;
  /** The size of the terminal that shows it; absent: no terminal does. */
  readonly size?: WindowSize;
}

/** Answers a question that waits (S35). */
export interface AnswerRequest {
  readonly request: "answer";
  readonly question: string;
  readonly answer: GrantAnswer;
}

/** Revokes a grant that would last until the server ends (S36). */
export interface TakeBackRequest {
  readonly request: "take_back";
  /** The id of the grant. */
  readonly grant: string;
}

/** Asks for all stored output of an operation. */
export interface OutputRequest {
  readonly request: "output";
  readonly operation: string;
  /** Later output follows, until it ends. */
  readonly follow?: true;
}

/** Ends an operation. */
export interface KillRequest {
  readonly request: "kill";
  readonly operation: string;
}

/** What a person's program asks for. */
export type ControlRequest =
  | ListRequest
  | AttachRequest
  | AnswerRequest
  | TakeBackRequest
  | OutputRequest
  | KillRequest;

/** An operation as a server lists it. */
export interface ListedOperation {
  readonly id: string;
  readonly tool: string;
  readonly title: string;
  readonly state: OperationState;
  /** How long it ran, or has been queued, milliseconds. */
  readonly elapsedMs: number;
  /** Where typed input goes; absent: it accepts none. */
  readonly input?: "terminal" | "pipe";
  /** The name of the shell it runs in; absent: none. */
  readonly session?: string;
  /** How it ended, for people; absent: it has not. */
  readonly ended?: string;
  /** When it was called, milliseconds since 1970; absent: an older server lists it. */
  readonly created?: number;
  /** The client that called it, as it names itself; absent: it gives no name. */
  readonly client?: string;
  /** It has, or had, a terminal of its own. */
  readonly terminal?: true;
  /** What its processes use; absent: not asked for, not known on this system, or nothing runs. */
  readonly usage?: ProcessUsage;
  /** What the sandbox denied to it; absent: nothing is known. */
  readonly denials?: readonly ListedDenial[];
  /** The traffic of its ended connections; absent: none was made or refused. */
  readonly network?: ListedNetwork;
}

/** The denial as a sentence. */
export interface ListedDenial {
  readonly text: string;
  /** Flags of the server that would allow it; empty: none would, or none should. */
  readonly flags: readonly string[];
}

/** Bytes of all connections of an operation, and how many were refused. */
export interface ListedNetwork {
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly refusals: number;
}

/** A named shell as a server lists it. */
export interface ListedSession {
  readonly name: string;
  readonly directory: string;
  /** What it runs; absent: nothing. */
  readonly operation?: string;
}

/** A server and what it runs. */
export interface ListedServer {
  readonly pid: number;
  readonly version: string;
  /** How its clients reach it. */
  readonly mode: "stdio" | "http";
  readonly scopes: readonly string[];
  /** Its audit log; absent: it has none. */
  readonly auditLog?: string;
  /** It records what operations change (S39). */
  readonly undo?: true;
  /** What its commands can reach, in one line; absent: an older server lists it. */
  readonly sandbox?: string;
  /** One line for each third-party server; absent: there is none. */
  readonly behind?: readonly string[];
  /** Running and queued ones, and the last that ended. */
  readonly operations: readonly ListedOperation[];
  readonly sessions: readonly ListedSession[];
  /** Questions that wait for a person; absent: it runs without --ask. */
  readonly questions?: readonly WaitingQuestion[];
  /** What a person allowed until it ends; absent: it runs without --ask. */
  readonly granted?: readonly SessionGrant[];
}

/** What a server sends. Bytes are in base64. */
export type ControlEvent =
  | { readonly event: "refused"; readonly problem: string }
  | { readonly event: "server"; readonly server: ListedServer }
  /** An operation began or ended, or its resource usage was measured. */
  | { readonly event: "operation"; readonly operation: ListedOperation }
  /** A question was answered, or a grant revoked. */
  | { readonly event: "answered" }
  /** Nothing can be shown yet: why, for people. */
  | { readonly event: "waiting"; readonly reason: string }
  | { readonly event: "attached"; readonly operation: ListedOperation }
  /** The end of its earlier output; this many bytes before it are left out. */
  | { readonly event: "earlier"; readonly data: string; readonly leftOut: number }
  /** Restores the state of the operation's terminal. */
  | { readonly event: "screen"; readonly data: string }
  | { readonly event: "output"; readonly data: string }
  /** This many bytes were skipped, because the reader was too slow. */
  | { readonly event: "gap"; readonly bytes: number }
  /** Why typed input was not accepted. */
  | { readonly event: "not_taken"; readonly problem: string }
  /** `line`: how it ended, for people. */
  | { readonly event: "end"; readonly line: string; readonly end: OperationEnd | undefined };

/** A person's input to an operation. */
export type Given =
  | { readonly kind: "input"; readonly bytes: Uint8Array }
  | { readonly kind: "size"; readonly size: WindowSize }
  | { readonly kind: "end" };

/** The line of a request, with its newline. */
export function requestLine(token: string, request: ControlRequest): string {
  return `${JSON.stringify({ ahma: CONTROL_VERSION, token, ...request })}\n`;
}

/** The line of an event, with its newline. */
export function eventLine(event: ControlEvent): string {
  return `${JSON.stringify(event)}\n`;
}

/** A value as a line of JSON, with its newline. */
export function givenLine(given: Given): string {
  if (given.kind === "input") return `${JSON.stringify({ input: given.bytes.toBase64() })}\n`;
  return given.kind === "size" ? `${JSON.stringify({ size: given.size })}\n` : `${JSON.stringify({ end: true })}\n`;
}

/** The event in a line from a server, whose token only this user has; undefined: it is not an event. */
export function readEvent(line: string): ControlEvent | undefined {
  const parsed = parseJson(line);
  return parsed.ok && isObject(parsed.value) && typeof parsed.value["event"] === "string"
    ? parsed.value as unknown as ControlEvent // of the same version, which the server has checked
    : undefined;
}

/** The request in a line. The problem is worded for the person. */
export function readRequest(line: string): Outcome<Request> {
  const parsed = parseJson(line);
  if (!parsed.ok || !isObject(parsed.value)) return failure("The request is not a JSON object");
  const { ahma, token, request, ...members } = parsed.value;
  if (typeof token !== "string") return failure("The request has no token");
  if (ahma !== CONTROL_VERSION) {
    return failure(
      `The request has version ${shownValue(ahma)}, and this server knows version ${CONTROL_VERSION}: ` +
        "use the ahma_mcp of the same version as the server",
    );
  }
  const name = REQUEST_NAMES.find((one) => one === request);
  if (name === undefined) {
    return failure(`The request ${shownValue(request)} is unknown: known are ${REQUEST_NAMES.join(", ")}`);
  }
  return success({ name, token, members });
}

/** What `attach` asks for. */
export function readAttach({ members }: Request): Outcome<Omit<AttachRequest, "request">> {
  const { target, size } = members;
  if (typeof target !== "string") return failure("The request names no operation or shell to attach to");
  const read = size === undefined ? undefined : readSize(size);
  return read?.ok === false ? read : success({ target, ...read !== undefined && { size: read.value } });
}

/** The answer to a question. */
export function readAnswer({ members }: Request): Outcome<Omit<AnswerRequest, "request">> {
  const { question, answer: word } = members;
  const answer = GRANT_ANSWERS.find((one) => one === word);
  if (typeof question !== "string") return failure("The request names no question");
  if (answer !== undefined) return success({ question, answer });
  return failure(`The answer ${shownValue(word)} is unknown: known are ${GRANT_ANSWERS.join(", ")}`);
}

/** Checks the input in a line; the problem says what is wrong. */
export function readGiven(line: string): Outcome<Given> {
  const parsed = parseJson(line);
  const { input, size, end } = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  if (typeof input === "string") {
    const bytes = readInput(input);
    return bytes.ok ? success({ kind: "input", bytes: bytes.value }) : bytes;
  }
  if (end === true) return success({ kind: "end" });
  const read = readSize(size);
  return read.ok ? success({ kind: "size", size: read.value }) : read;
}

/** Bytes from base64. */
export function readInput(text: string): Outcome<Uint8Array> {
  try {
    return success(Uint8Array.fromBase64(text));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return failure("The input is not base64");
    throw thrown;
  }
}

const MOST_CELLS = 999;

/** The size of a window in cells. */
export function readSize(value: unknown): Outcome<WindowSize> {
  const { columns, rows } = isObject(value) ? value : {};
  return isCount(columns) && isCount(rows)
    ? success({ columns, rows })
    : failure(`The size is ${shownValue(value)}, expected columns and rows from 1 to ${MOST_CELLS}`);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_CELLS;
}
