/** The contract of an origin of resources next to our own (C4): third-party servers, and further ones. */
import type { ReadResourceResult, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../base/emitter.ts";
import type { Outcome } from "../base/outcome.ts";
import type { ArgumentRequest, Completion } from "./prompts/prompt_source.ts";

/** What a source lists. */
export interface ListedResources {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
}

/** Why there is no answer; `missing`: no such resource, else the message says what is wrong. */
export interface ResourceRefusal {
  readonly missing: boolean;
  readonly message: string;
}

export interface ResourceSource {
  /** What is listed at this moment, in order. */
  list(): Promise<ListedResources>;
  /** Whether an address or a template is of this source; it may name nothing. */
  owns(uri: string): boolean;
  /** The contents of an address of this source. */
  read(uri: string, signal: AbortSignal): Promise<Outcome<ReadResourceResult, ResourceRefusal>>;
  /** Values for a variable of a template of this source, which `request` names. */
  complete(request: ArgumentRequest, signal: AbortSignal): Promise<Outcome<Completion, ResourceRefusal>>;
  /** Has changes of an address of this source told from now on, until the result is called. */
  follow(uri: string): Promise<Outcome<Unsubscribe, ResourceRefusal>>;
  /** Hears each change of `list`, once. */
  onChange(listener: () => void): Unsubscribe;
  /** Hears the address of each followed resource that has changed. */
  onUpdate(listener: (uri: string) => void): Unsubscribe;
}
