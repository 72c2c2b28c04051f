/** The sources of a service: all of them, or those of `--lean` behind two tools. */
import type { Logger } from "../../base/log.ts";
import { LeanSource } from "../../service/lean/lean_source.ts";
import type { ListFacts } from "../../service/result/listed_texts.ts";
import type { ToolSource } from "../../service/service.ts";
import type { Settings } from "../../settings/settings.ts";

/** The tools of servers, and their names. */
export interface NamedSource {
  readonly source: ToolSource;
  readonly names: readonly string[];
}

export interface ListedSourcesParts {
  /** Built-in tools, then tool files, then native tools if requested. */
  readonly own: readonly [ToolSource, ToolSource, ...ToolSource[]];
  /** Empty: none is configured. */
  readonly servers: readonly NamedSource[];
  readonly facts: ListFacts;
  readonly settings: Pick<Settings, "lean" | "bundles">;
  readonly log: Logger;
}

/** In the order in which tools are listed. */
export function listedSources(parts: ListedSourcesParts): readonly ToolSource[] {
  const { own: [builtin, toolFiles, ...native], servers, facts, settings: { lean, bundles }, log } = parts;
  if (lean.servers && servers.length === 0) log.warn('Flag "--lean" changes nothing: no --mcp-config names servers');
  const foreign = servers.map(({ source }) => source);
  const hidden = [...lean.toolFiles ? [toolFiles, ...native] : [], ...lean.servers ? foreign : []];
  const all = [builtin, toolFiles, ...native, ...foreign];
  if (hidden.length === 0) return all;
  const origins = [
    ...lean.toolFiles ? [...bundles, "the project's tool files"] : [],
    ...lean.servers ? servers.flatMap(({ names }) => names) : [],
  ];
  const shown = all.filter((source) => !hidden.includes(source));
  return [...shown, new LeanSource({ hidden, origins, facts })];
}
