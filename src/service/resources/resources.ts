/** Operations, their output and tool files as resources (C4): the list, and the contents of each. */
import { shownValue } from "../../base/text.ts";
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Server,
} from "@modelcontextprotocol/server";
import { RequestError, RequestErrorCode, ResourceNotFound } from "../../wire/request_error.ts";
import { isOperationId } from "../../operation/operation_id.ts";
import type { Catalog } from "../../catalog/model/leaf.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { readLines, readPage, resolveLines } from "../../operation/output/output_pages.ts";
import { isEnded } from "../../operation/operation.ts";
import { shorten } from "../../base/visible_text.ts";
import { headingOf, operationMeta, statusLine } from "../result/closing_line.ts";
import { finalText, styleOf } from "../result/result_text.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { ResourceRefusal, ResourceSource } from "../resource_source.ts";
import { readApp } from "../apps/operations_app.ts";
import type { Service } from "../service.ts";
import {
  OPERATIONS_URI,
  operationUri,
  type OutputRange,
  outputUri,
  readAddress,
  type ResourceAddress,
  TEMPLATES,
  toolUri,
} from "../result/resource_uri.ts";

/** Resources on one page of `resources/list`. */
const PAGE_SIZE = 100;
/** Operations in one reading of `ahma://operations`. */
const OPERATIONS_AT_ONCE = 100;
/** Key of `_meta` for the facts of a part of an output. */
const OUTPUT_META_KEY = "ahma/output";

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain";

type Contents = ReadResourceResult["contents"][number];

/** How a client has used resources. */
export interface ResourceUse {
  /** It has requested the list, so changes of the list are reported. */
  listed: boolean;
  /** It has read a resource, so results name addresses (X4). */
  read: boolean;
}

/** `resources/templates/list`. @throws {RequestError} For a cursor: the list has one page. */
export async function listTemplates(
  service: Service,
  cursor: string | undefined,
): Promise<ListResourceTemplatesResult> {
  if (cursor !== undefined) throw invalidCursor(cursor);
  const others = await Promise.all(service.resources.map((source) => source.list()));
  return { resourceTemplates: [...RESOURCE_TEMPLATES, ...others.flatMap(({ templates }) => templates)] };
}

/** Answers `resources/read`. */
export function serveReading(server: Server, service: Service, use: ResourceUse): void {
  server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq: { signal } }) => {
    const source = sourceOf(service, uri);
    if (source !== undefined) return answerOf(uri, await source.read(uri, signal));
    const app = await readApp(service, uri);
    if (app !== undefined) return app;
    const contents = await readResource(service, uri);
    use.read = true;
    return { contents };
  });
}

/** The source of a foreign URI; undefined: it is ours, or of no source. */
export function sourceOf({ resources }: Pick<Service, "resources">, uri: string): ResourceSource | undefined {
  return resources.find((source) => source.owns(uri));
}

/** @throws RequestError for what a source refuses, as for our own resources */
export function answerOf<Answer>(uri: string, answered: Outcome<Answer, ResourceRefusal>): Answer {
  if (answered.ok) return answered.value;
  const { missing, message } = answered.problem;
  if (missing) throw new ResourceNotFound(uri, message);
  throw new RequestError(RequestErrorCode.InternalError, message);
}

/** The existing resource that `uri` names. @throws RequestError for any other, or other parameters */
export async function existingAddress(service: Service, uri: string): Promise<ResourceAddress> {
  const address = readAddress(uri);
  if (address === undefined) throw notFound(uri);
  if (!address.ok) {
    throw new RequestError(
      RequestErrorCode.InvalidParams,
      `Cannot read "${shorten(uri)}": ${shorten(address.problem)}`,
    );
  }
  if (!await exists(service, address.value)) throw notFound(uri);
  return address.value;
}

async function exists(service: Service, address: ResourceAddress): Promise<boolean> {
  if ("id" in address) return service.registry.get(address.id) !== undefined;
  return address.kind === "operations" || toolFile(await service.catalog(), address.name) !== undefined;
}

async function readResource(service: Service, uri: string): Promise<Contents[]> {
  const address = await existingAddress(service, uri);
  if (address.kind === "operations") return [asJson(uri, operationList(service, address.offset))];
  if (address.kind === "tool") return [asJson(uri, toolFile(await service.catalog(), address.name)?.definition)];
  const operation = service.registry.get(address.id);
  if (operation === undefined) throw notFound(uri);
  return address.kind === "operation"
    ? [asJson(uri, operationFacts(service, operation))]
    : [await outputPart(service, operation, { uri, range: address.range })];
}

function operationList({ registry }: Service, offset: number) {
  const all = registry.list().toReversed();
  const shown = all.slice(offset, offset + OPERATIONS_AT_ONCE);
  const next = offset + shown.length;
  return {
    total: all.length,
    operations: shown.map((operation) => ({ ...briefFacts(operation), uri: operationUri(operation.id) })),
    ...next < all.length && { next: `${OPERATIONS_URI}?offset=${next}` },
  };
}

function briefFacts(operation: Operation): Record<string, unknown> {
  return {
    ...operationMeta(operation, undefined),
    title: operation.title,
    created_at: timestamp(operation.createdAt),
    ...operation.startedAt !== undefined && { started_at: timestamp(operation.startedAt) },
    ...operation.endedAt !== undefined && { ended_at: timestamp(operation.endedAt) },
  };
}

/** Everything about one operation; `result` is the text `await` gives. */
function operationFacts(service: Service, operation: Operation): Record<string, unknown> {
  const { totalBytes, totalLines, lostBytes } = operation.output;
  const ended = isEnded(operation.state);
  return {
    ...briefFacts(operation),
    output: {
      uri: outputUri(operation.id),
      bytes: totalBytes,
      lines: totalLines,
      ...lostBytes > 0 && { lost_bytes: lostBytes },
    },
    ...ended && { result: finalText(operation, styleOf(service, { readsResources: true }), "fetched").text },
  };
}

/** A part of the output as text; if it is not the last one, `_meta` says how to read on. */
async function outputPart(
  { settings: { keepAnsi } }: Service,
  { id, output, state }: Operation,
  { uri, range }: { readonly uri: string; readonly range: OutputRange },
): Promise<Contents> {
  const page = range.by === "bytes"
    ? await readPage(output, range, { keepAnsi })
    : await readLines(output, { ...resolveLines(output, range.lines), limit: range.limit }, { keepAnsi });
  const left = output.totalBytes - page.nextOffset;
  // Joined, not a template: that makes a string of two parts, at which the engine's fast way to JSON gives up and begins
  // again with the slow one, the long text included. It takes half the time of a page (N4).
  const next = left > 0 ? [outputUri(id), "?offset=", page.nextOffset].join("") : undefined;
  // A reader of the whole output is told how to continue; a reader of a part is not.
  const note = next !== undefined && !uri.includes("?") ? `[${left} bytes more: ${next}]\n` : "";
  return {
    uri,
    mimeType: TEXT_TYPE,
    text: `${page.text}${note}`,
    _meta: {
      [OUTPUT_META_KEY]: {
        offset: page.offset,
        next_offset: page.nextOffset,
        ...next !== undefined && { next },
        total_bytes: output.totalBytes,
        total_lines: output.totalLines,
        lost_bytes: output.lostBytes,
        ended: isEnded(state),
      },
    },
  };
}

/** The tool file of that name, or the one with the tool of that name. */
function toolFile(catalog: Catalog, name: string) {
  return catalog.tools.find((tool) => tool.name === name) ??
    catalog.tools.find((tool) => tool.name === catalog.byName.get(name)?.tool);
}

/** `resources/list`. A page begins after the entry that the cursor names; an operation pruned since then is skipped. */
export async function listResources(
  service: Service,
  use: ResourceUse,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  use.listed = true;
  const others = await Promise.all(service.resources.map((source) => source.list()));
  const own = allResources(service, await service.catalog());
  const all = [...own, ...others.flatMap(({ resources }) => resources)];
  const from = cursor === undefined ? 0 : pageStart(all, cursor);
  const resources = all.slice(from, from + PAGE_SIZE);
  const last = resources.at(-1);
  return { resources, ...last !== undefined && from + PAGE_SIZE < all.length && { nextCursor: last.uri } };
}

function pageStart(all: readonly Resource[], cursor: string): number {
  const index = all.findIndex(({ uri }) => uri === cursor);
  if (index >= 0) return index + 1;
  const address = readAddress(cursor);
  if (address?.ok !== true || !mayHaveGone(address.value)) throw invalidCursor(cursor);
  // Operations are listed newest first, so everything after a pruned one is pruned too.
  return all.length;
}

/** Whether it can have been an entry of the list once. */
function mayHaveGone(address: ResourceAddress): boolean {
  return address.kind === "tool" || "id" in address && isOperationId(address.id);
}

function allResources({ registry }: Service, catalog: Catalog): readonly Resource[] {
  return [
    {
      uri: OPERATIONS_URI,
      name: "operations",
      title: "Operations",
      description: "Running, queued and ended, newest first.",
      mimeType: JSON_TYPE,
    },
    ...catalog.tools.map(({ name, definition }) => ({
      uri: toolUri(name),
      name: `tool ${name}`,
      title: `Tool file ${name}`,
      description: definition.description,
      mimeType: JSON_TYPE,
    })),
    ...registry.list().toReversed().flatMap(operationResources),
  ];
}

function operationResources(operation: Operation): readonly Resource[] {
  const { id, output } = operation;
  const facts = isEnded(operation.state) ? statusLine(operation) : `[${id} ${operation.state}]`;
  return [
    {
      uri: operationUri(id),
      name: `operation ${id}`,
      title: headingOf(operation),
      description: facts,
      mimeType: JSON_TYPE,
    },
    {
      uri: outputUri(id),
      name: `output of ${id}`,
      title: `Output of ${headingOf(operation)}`,
      description: facts,
      mimeType: TEXT_TYPE,
      ...isEnded(operation.state) && { size: output.totalBytes },
    },
  ];
}

const RESOURCE_TEMPLATES: readonly ResourceTemplateType[] = [
  {
    uriTemplate: TEMPLATES.operation,
    name: "operation",
    title: "One operation",
    description: "Its facts and, once it has ended, its result.",
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: TEMPLATES.output,
    name: "output",
    title: "The output of one operation",
    description:
      "All of it or a part: lines=7-20 (counted from 1; -20 for the last 20), or offset and limit in bytes. " +
      "At most limit bytes at once (default 262144, at most 1048576); _meta tells how to go on.",
    mimeType: TEXT_TYPE,
  },
  {
    uriTemplate: TEMPLATES.tool,
    name: "tool",
    title: "One tool file",
    description: "The definition a tool comes from.",
    mimeType: JSON_TYPE,
  },
];

function asJson(uri: string, value: unknown): Contents {
  return { uri, mimeType: JSON_TYPE, text: JSON.stringify(value, undefined, 2) };
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

function notFound(uri: string): RequestError {
  return new ResourceNotFound(uri, `Resource not found: ${shorten(uri)}`);
}

function invalidCursor(cursor: string): RequestError {
  return new RequestError(RequestErrorCode.InvalidParams, `Invalid cursor ${shownValue(cursor)}`);
}
