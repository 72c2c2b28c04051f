/** Messages of OTLP in JSON (https://opentelemetry.io/docs/specs/otlp). Pure. */
import type { TraceContext } from "../wire/trace_context.ts";

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span that has ended. */
export interface EndedSpan {
  readonly trace: TraceContext;
  readonly name: string;
  readonly kind: keyof typeof KINDS;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly isError: boolean;
  readonly attributes: Attributes;
}

/** A metric and its values since `startMs`. */
export interface Metric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly data: SumData | HistogramData;
}

interface SumData {
  /** Whether it never decreases. */
  readonly isMonotonic: boolean;
  readonly points: readonly { readonly attributes: Attributes; readonly value: number }[];
}

interface HistogramData {
  /** Upper bounds of all buckets but the last. */
  readonly bounds: readonly number[];
  readonly points: readonly HistogramPoint[];
}

export interface HistogramPoint {
  readonly attributes: Attributes;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  /** Of each bucket. */
  readonly counts: readonly number[];
}

/** The sender. */
export interface Origin {
  readonly resource: Attributes;
  readonly scope: { readonly name: string; readonly version: string };
}

const KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;
const CUMULATIVE = 2;

/** The body for `/v1/traces`. */
export function tracesBody({ resource, scope }: Origin, spans: readonly EndedSpan[]): string {
  const resourceSpans = [{
    resource: { attributes: pairs(resource) },
    scopeSpans: [{ scope, spans: spans.map(span) }],
  }];
  return JSON.stringify({ resourceSpans });
}

/** The body for `/v1/metrics`. Metrics without values are left out. */
export function metricsBody({ resource, scope }: Origin, metrics: readonly Metric[], times: Times): string {
  const told = metrics.filter(({ data }) => data.points.length > 0).map((one) => metric(one, times));
  const resourceMetrics = [{ resource: { attributes: pairs(resource) }, scopeMetrics: [{ scope, metrics: told }] }];
  return JSON.stringify({ resourceMetrics });
}

interface Times {
  /** When counting began, milliseconds since 1970. */
  readonly startMs: number;
  readonly nowMs: number;
}

function span({ trace, name, kind, startMs, endMs, isError, attributes }: EndedSpan): object {
  const { traceId, spanId, parentId, state, flags } = trace;
  return {
    traceId,
    spanId,
    ...parentId !== undefined && { parentSpanId: parentId },
    ...state !== undefined && { traceState: state },
    flags,
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: pairs(attributes),
    // An error message may contain output of a command.
    status: isError ? { code: STATUS_ERROR } : {},
  };
}

function metric({ name, description, unit, data }: Metric, { startMs, nowMs }: Times): object {
  const times = { startTimeUnixNano: nanoseconds(startMs), timeUnixNano: nanoseconds(nowMs) };
  if ("isMonotonic" in data) {
    const dataPoints = data.points.map(({ attributes, value }) => ({
      ...times,
      attributes: pairs(attributes),
      asInt: String(value),
    }));
    const { isMonotonic } = data;
    return { name, description, unit, sum: { aggregationTemporality: CUMULATIVE, isMonotonic, dataPoints } };
  }
  const dataPoints = data.points.map(({ attributes, counts, sum, min, max }) => ({
    ...times,
    attributes: pairs(attributes),
    count: String(counts.reduce((all, one) => all + one, 0)),
    sum,
    min,
    max,
    bucketCounts: counts.map(String),
    explicitBounds: data.bounds,
  }));
  return { name, description, unit, histogram: { aggregationTemporality: CUMULATIVE, dataPoints } };
}

function pairs(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) => value === undefined ? [] : [{ key, value: any(value) }]);
}

function any(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** With the precision of microseconds, as far as a number holds them. */
function nanoseconds(ms: number): string {
  return `${BigInt(Math.round(ms * 1000)) * 1000n}`;
}
