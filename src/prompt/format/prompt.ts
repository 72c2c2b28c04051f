/** A prompt of a file, and all prompts of one moment. Immutable. */
import type { Diagnostic } from "../../base/diagnostic.ts";

/** Where a prompt comes from, in the order of precedence: a later one wins a name. */
export const ORIGINS = ["bundled", "user", "project"] as const;
export type PromptOrigin = typeof ORIGINS[number];

/** How the text of an argument becomes a value. */
export type ParameterType = "text" | "boolean" | "number" | "choice" | "choices" | "prompt" | "path" | "issue" | "memo";

export interface PromptParameter {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  readonly type: ParameterType;
  /** Allowed values; empty: any. */
  readonly choices: readonly string[];
  /** The value where the client gives none, as the file has it; absent: none. */
  readonly fallback?: unknown;
}

/** The words of a prompt in lists. */
export interface PromptFacts {
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly PromptParameter[];
}

export interface Prompt extends PromptFacts {
  readonly name: string;
  readonly origin: PromptOrigin;
  /** Path for messages. */
  readonly file: string;
  /** Other prompts include it, and no client sees it. */
  readonly isPartial: boolean;
  readonly body: string;
  /** Lines of the file before the body. */
  readonly linesBefore: number;
}

/** Prompts by name; those of one name and several origins are decided. */
export type PromptSet = ReadonlyMap<string, Prompt>;

/** What is in service. */
export interface PromptLibrary {
  readonly all: PromptSet;
  /** What templates of program and user include: nothing of a project, which could change them unseen. */
  readonly trusted: PromptSet;
  /** What clients see, by name. */
  readonly listed: readonly Prompt[];
  /** The origins that lost a name to a listed prompt. */
  readonly overridden: ReadonlyMap<Prompt, readonly PromptOrigin[]>;
  readonly diagnostics: readonly Diagnostic[];
}
