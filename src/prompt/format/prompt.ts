/** A prompt of a file, and all prompts of one moment. Immutable. */
import type { Diagnostic } from "../../base/diagnostic.ts";

/** Where a prompt comes from. Of prompts with equal names, the one whose origin comes last here is used. */
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
  /** The default, as written in the file; absent: there is none. */
  readonly fallback?: unknown;
}

/** What lists show of a prompt. */
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
  /** Only other prompts include it; no client sees it. */
  readonly isPartial: boolean;
  readonly body: string;
  /** Lines of the file before the body. */
  readonly linesBefore: number;
}

/** Prompts by name; conflicts between origins are resolved. */
export type PromptSet = ReadonlyMap<string, Prompt>;

/** The prompts in service. */
export interface PromptLibrary {
  readonly all: PromptSet;
  /** What templates of the program and the user can include: no files of a project, which could alter them. */
  readonly trusted: PromptSet;
  /** What clients see, by name. */
  readonly listed: readonly Prompt[];
  /** Origins whose prompt is hidden by a listed prompt of the same name. */
  readonly overridden: ReadonlyMap<Prompt, readonly PromptOrigin[]>;
  readonly diagnostics: readonly Diagnostic[];
}
