/** A rule: what it examines, how, and its message (K8). Immutable. */
import type { PromptOrigin } from "../../../prompt/format/prompt.ts";
import { SEVERITIES } from "../../definition/rules.ts";

export type Severity = typeof SEVERITIES[number];

/** Output formats of programs. */
export const OUTPUT_FORMS = ["file:line:col: message", "sarif", "json"] as const;
export type OutputForm = typeof OUTPUT_FORMS[number];

/** A JavaScript regular expression that is matched against lines, or with `multiline` against whole texts. */
export interface MatchEngine {
  readonly kind: "match";
  readonly pattern: string;
  /** Lines that match this are not findings; undefined: each counts. */
  readonly not: string | undefined;
  readonly multiline: boolean;
  /** The replacement of the match, with `$1` and `$<name>` for groups; undefined: none. */
  readonly fix: string | undefined;
}

/** A tree-sitter query; a finding is at each node captured as `@finding`. */
export interface QueryEngine {
  readonly kind: "query";
  readonly source: string;
}

/** The measures that a rule may limit. */
export const MEASURES = ["function_lines", "file_lines", "nesting", "parameters"] as const;
export type Measure = typeof MEASURES[number];

/** Limits for files and functions. */
export interface MaxEngine {
  readonly kind: "max";
  /** Limits by measure; missing: unlimited. */
  readonly limits: Readonly<Partial<Record<Measure, number>>>;
}

/** The checks of one file's text. */
export type TextEngine = MatchEngine | QueryEngine | MaxEngine;

/** A program that is run without a shell in the directory of the project. */
export interface CommandEngine {
  readonly kind: "command";
  /** The program and its arguments; an argument `{files}` stands for the files. */
  readonly words: readonly string[];
  readonly parse: OutputForm;
}

/** How a rule finds; `review`: the client's model reads the files. */
export type RuleEngine = TextEngine | CommandEngine | { readonly kind: "review" };

export interface Rule {
  /** Path of its file below its directory, without the ending. */
  readonly name: string;
  readonly origin: PromptOrigin;
  /** Path for messages. */
  readonly file: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly category: string | undefined;
  readonly severity: Severity;
  /** Patterns of paths; empty: all. */
  readonly files: readonly string[];
  /** Patterns of names of the rule's languages; empty: all. */
  readonly languageGlobs: readonly string[];
  /** The message of a finding; undefined: title or description. */
  readonly message: string | undefined;
  readonly engine: RuleEngine;
  /** For a review: the template of its instruction. */
  readonly body: string;
  readonly linesBefore: number;
}

/** What a rule found in a file. */
export interface Finding {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** In characters, from 1. */
  readonly column: number;
  readonly severity: Severity;
  readonly rule: string;
  readonly message: string;
  /** The proposed replacement; undefined: there is none. */
  readonly fix?: string | undefined;
}

/** What a finding of the rule says, on one line. */
export function messageOf({ message, title, description, name }: Rule): string {
  return message ?? title ?? description?.split("\n")[0] ?? name;
}

/** The engine if it examines the text of one file; otherwise undefined. */
export function textEngineOf({ engine }: Pick<Rule, "engine">): TextEngine | undefined {
  return engine.kind === "command" || engine.kind === "review" ? undefined : engine;
}

/** Whether one severity is at least as heavy as another. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least);
}
