/** Addresses of resources (C4): operations, their output or a part of it, and tool files. */
import { percentDecoded } from "../../base/text.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { LineWish } from "../../operation/output/output_pages.ts";

export type ResourceAddress =
  /** The newest operations but the first `offset`. */
  | { readonly kind: "operations"; readonly offset: number }
  | { readonly kind: "operation"; readonly id: string }
  | { readonly kind: "output"; readonly id: string; readonly range: OutputRange }
  | { readonly kind: "tool"; readonly name: string };

/** Which part of an output, and at most how many bytes of it. */
export type OutputRange =
  | { readonly by: "bytes"; readonly offset: number; readonly limit: number }
  | { readonly by: "lines"; readonly lines: LineWish; readonly limit: number };

export const OPERATIONS_URI = "ahma://operations";

/** RFC 6570 templates, in the order they are listed. */
export const TEMPLATES = {
  operation: `${OPERATIONS_URI}/{operation_id}`,
  output: `${OPERATIONS_URI}/{operation_id}/output{?lines,offset,limit}`,
  tool: "ahma://tools/{name}",
} as const;

/** Read at once unless `limit` says otherwise, in bytes of the output. */
const DEFAULT_PAGE_BYTES = 256 * 1024;
const LONGEST_PAGE_BYTES = 1024 * 1024;

export function operationUri(id: string): string {
  return `${OPERATIONS_URI}/${id}`;
}

export function outputUri(id: string): string {
  return `${operationUri(id)}/output`;
}

export function toolUri(name: string): string {
  return `ahma://tools/${encodeURIComponent(name)}`;
}

/** The resource that `uri` names; undefined: not an address of this server. A failure: its parameters are wrong. */
export function readAddress(uri: string): Outcome<ResourceAddress> | undefined {
  const [, path = "", query] = /^ahma:\/\/([^?#]+)(?:\?([^#]*))?$/.exec(uri) ?? [];
  const [collection, name, part, ...more] = path.split("/").map(percentDecoded);
  const parameters = new URLSearchParams(query);
  if (more.length > 0) return undefined;
  if (collection === "tools" && name !== undefined && part === undefined) {
    return plain(parameters, { kind: "tool", name });
  }
  if (collection !== "operations") return undefined;
  if (name === undefined) return listAddress(parameters);
  if (part === undefined) return plain(parameters, { kind: "operation", id: name });
  return part === "output" ? outputAddress(name, parameters) : undefined;
}

function plain(parameters: URLSearchParams, address: ResourceAddress): Outcome<ResourceAddress> {
  return unknownParameter(parameters, []) ?? success(address);
}

function listAddress(parameters: URLSearchParams): Outcome<ResourceAddress> {
  const unknown = unknownParameter(parameters, ["offset"]);
  if (unknown !== undefined) return unknown;
  const offset = count(parameters, "offset", { from: 0 });
  return offset.ok ? success({ kind: "operations", offset: offset.value ?? 0 }) : offset;
}

function outputAddress(id: string, parameters: URLSearchParams): Outcome<ResourceAddress> {
  const unknown = unknownParameter(parameters, ["lines", "offset", "limit"]);
  if (unknown !== undefined) return unknown;
  const limit = count(parameters, "limit", { from: 1, to: LONGEST_PAGE_BYTES });
  if (!limit.ok) return limit;
  const bytes = limit.value ?? DEFAULT_PAGE_BYTES;
  const lines = parameters.get("lines");
  if (lines === null) {
    const offset = count(parameters, "offset", { from: 0 });
    if (!offset.ok) return offset;
    return success({ kind: "output", id, range: { by: "bytes", offset: offset.value ?? 0, limit: bytes } });
  }
  if (parameters.has("offset")) return failure('"lines" and "offset" exclude each other: give one of them');
  const range = readLineRange(lines);
  return range.ok ? success({ kind: "output", id, range: { by: "lines", lines: range.value, limit: bytes } }) : range;
}

/** `7`, `7-20` or `7-`: lines counted from 1; `-20`: the last 20. */
export function readLineRange(text: string): Outcome<LineWish> {
  const [, fromEnd] = /^-([1-9]\d{0,14})$/.exec(text.trim()) ?? [];
  if (fromEnd !== undefined) return success({ fromEnd: Number(fromEnd) });
  const [, from, dash, to] = /^([1-9]\d{0,14})(?:(-)([1-9]\d{0,14})?)?$/.exec(text.trim()) ?? [];
  const first = Number(from);
  const last = to !== undefined ? Number(to) : dash === undefined ? first : undefined;
  if (from === undefined || (last !== undefined && last < first)) {
    return failure(
      `"lines" is "${text}", expected a range counted from 1, as in 7, 7-20 or 7-, or -20 for the last 20`,
    );
  }
  return success({ first, last });
}

function count(
  parameters: URLSearchParams,
  name: string,
  { from, to = Number.MAX_SAFE_INTEGER }: { readonly from: number; readonly to?: number },
): Outcome<number | undefined> {
  const text = parameters.get(name);
  if (text === null) return success(undefined);
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (value >= from && value <= to) return success(value);
  const range = to === Number.MAX_SAFE_INTEGER ? `an integer from ${from}` : `an integer from ${from} to ${to}`;
  return failure(`"${name}" is "${text}", expected ${range}`);
}

function unknownParameter(parameters: URLSearchParams, known: readonly string[]): Outcome<never> | undefined {
  const name = [...parameters.keys()].find((key) => !known.includes(key));
  if (name === undefined) return undefined;
  return failure(`"${name}" does not exist (parameters: ${known.length === 0 ? "none" : known.join(", ")})`);
}
