/** A flow: a state machine of a Markdown file, which the calling agent drives (K7). Immutable. */
import type { PromptParameter } from "../../prompt/format/prompt.ts";

/** A text with slots that are filled when the action runs. */
export type Template = readonly (string | Slot)[];

/** A slot: a variable or a member of one, as in `result.content`. */
export interface Slot {
  readonly path: readonly string[];
}

/** What a state does. */
export type Action =
  | { readonly kind: "prompt"; readonly name: string; readonly args: TemplateMap; readonly expect: Expected }
  | { readonly kind: "shell"; readonly command: Template; readonly options: ShellOptions }
  | { readonly kind: "tool"; readonly name: string; readonly args: TemplateMap }
  | { readonly kind: "run"; readonly flow: string; readonly args: TemplateMap }
  | { readonly kind: "log"; readonly level: LogLevel; readonly text: Template }
  | { readonly kind: "set"; readonly variable: string; readonly value: Template }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "ask"; readonly question: Template; readonly expect: Expected }
  | { readonly kind: "abort"; readonly reason: Template };

export type TemplateMap = Readonly<Record<string, Template>>;
export type LogLevel = "info" | "warning" | "error";
/** The required form of the answer to a prompt. */
export type Expected = "text" | "yes_no" | "json";

export interface ShellOptions {
  /** Undefined: the server's limit. */
  readonly timeoutSeconds?: number;
  /** Undefined: the project's directory. */
  readonly directory?: Template;
  readonly environment: TemplateMap;
}

/** An action and the variable for its result. */
export interface StateAction {
  readonly action: Action;
  /** The variable that keeps the result; undefined: only `result`. */
  readonly result: string | undefined;
}

/** When an arm is taken. `default`: when no other arm is. */
export type Condition =
  | { readonly kind: "always" | "success" | "failure" | "default" }
  | { readonly kind: "expression"; readonly text: string };

export interface Arm {
  readonly to: string;
  readonly condition: Condition;
  /** As written; empty: none. */
  readonly label: string;
  readonly line: number;
}

export type StateKind = "normal" | "choice" | "fork" | "join";

export interface State {
  readonly name: string;
  readonly kind: StateKind;
  readonly action: StateAction | undefined;
  /** In the order of the file; empty only where the flow ends. */
  readonly arms: readonly Arm[];
  readonly line: number;
}

/** The name of the end, which is not a state. */
export const END = "[*]";

export interface Flow {
  readonly name: string;
  /** Path for messages. */
  readonly file: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly parameters: readonly PromptParameter[];
  readonly start: string;
  readonly states: ReadonlyMap<string, State>;
}
