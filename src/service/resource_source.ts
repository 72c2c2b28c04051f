/** The contract of an origin of resources next to our own (C4): third-party servers, and further ones. */
import type { ReadResourceResult, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../base/emitter.ts";
import type { Outcome } from "../base/outcome.ts";
import type { ArgumentRequest, Completion } from "./prompts/prompt_source.ts";

export interface ListedResources {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
}

/** Why there is no answer; `missing`: no such resource, else the message says what is wrong. */
export interface ResourceRefusal {
  readonly missing: boolean;
  readonly message: string;
}

/** One skill in the form of the extension. */
export interface SkillEntry {
  readonly uri: string;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
}

/** What answers the requests of the extension. */
export interface SkillEntries {
  /** All of them, by address. */
  entries(): Promise<readonly SkillEntry[]>;
  /** The entry of a `SKILL.md`; undefined: there is no such skill. */
  entry(uri: string): Promise<SkillEntry | undefined>;
  /** What lies in a folder; undefined: there is no such folder. */
  children(uri: string): Promise<readonly Resource[] | undefined>;
}

export interface ResourceSource {
  /** Absent: it has no skills. */
  readonly skills?: SkillEntries;
  /** What is listed at this moment, in order. */
  list(): Promise<ListedResources>;
  /** Whether an address or a template is of this source; it may name nothing. */
  owns(uri: string): boolean;
  /** The contents of an address of this source. */
  read(uri: string, signal: AbortSignal): Promise<Outcome<ReadResourceResult, ResourceRefusal>>;
  /** Values for a variable of a template of this source, which `request` names. */
  complete(request: ArgumentRequest, signal: AbortSignal): Promise<Outcome<Completion, ResourceRefusal>>;
  /** Announces changes of an address of this source from now on, until the returned function is called. */
  follow(uri: string): Promise<Outcome<Unsubscribe, ResourceRefusal>>;
  /** Called once for each change of `list`. */
  onChange(listener: () => void): Unsubscribe;
  /** Called with the address of each followed resource that has changed. */
  onUpdate(listener: (uri: string) => void): Unsubscribe;
  /** Lines for `status`; absent: it has none. */
  status?(): Promise<readonly string[]>;
}
