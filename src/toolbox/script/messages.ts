/** Messages between the server and the process of one script, one frame each (K11). Pure. */
import { isObject } from "../../wire/json_value.ts";

/** Bytes of one message of a script. */
export const LONGEST_MESSAGE: number = 256 * 1024;

/** What a script gets of a call. */
export interface ScriptAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** Absent: the tool gave none. */
  readonly structured?: unknown;
}

/** To the process. `run` comes once, before all answers. */
export type ToScript =
  | { readonly kind: "run"; readonly code: string }
  | { readonly kind: "answer"; readonly id: number; readonly answer: ScriptAnswer };

/** From the process. `value` is JSON, `problem` says why the script failed; `end` is the last message. */
export type FromScript =
  | {
    readonly kind: "call";
    readonly id: number;
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
  }
  | { readonly kind: "log"; readonly text: string }
  | { readonly kind: "end"; readonly value?: string; readonly problem?: string };

/** Reads a message that the script itself may have made. @throws {Error} When it is none. */
export function readScriptMessage(message: unknown): FromScript {
  if (isObject(message)) {
    const { kind, id, name, args, text, value, problem } = message;
    if (kind === "call" && typeof id === "number" && typeof name === "string" && isObject(args)) {
      return { kind, id, name, args };
    }
    if (kind === "log" && typeof text === "string") return { kind, text };
    if (kind === "end") {
      return {
        kind,
        ...typeof value === "string" && { value },
        ...typeof problem === "string" && { problem },
      };
    }
  }
  throw new Error("The script wrote a message of no known kind");
}
