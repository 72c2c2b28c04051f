/** The place of a call in a trace, as W3C Trace Context writes it and requests carry it in `_meta` (SEP-414). Pure. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The last bit says that the trace is recorded. */
  readonly flags: number;
  /** `tracestate`; absent: there is none. */
  readonly state?: string;
  /** The span that caused this one; absent: it is unknown, or there is none. */
  readonly parentId?: string;
}

/** A later version may add further parts. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Printable, and not longer than the specification requires programs to pass on. */
const TRACESTATE = /^[ -~]{1,512}$/;
/** Flags that version 00 knows. */
const KNOWN_FLAGS = 0x03;

/** The context in a request's `_meta`; undefined: there is none, or it is malformed. */
export function traceIn(meta: Readonly<Record<string, unknown>> | undefined): TraceContext | undefined {
  const parent = meta?.["traceparent"];
  if (typeof parent !== "string") return undefined;
  const [, version, traceId, spanId, flags = "", more] = TRACEPARENT.exec(parent) ?? [];
  if (traceId === undefined || spanId === undefined || version === "00" && more !== undefined) return undefined;
  const state = meta?.["tracestate"];
  const isKept = typeof state === "string" && TRACESTATE.test(state);
  return { traceId, spanId, flags: parseInt(flags, 16) & KNOWN_FLAGS, ...isKept && { state } };
}

/** Members of `_meta` for a request that this context causes. */
export function traceMeta({ traceId, spanId, flags, state }: TraceContext): Readonly<Record<string, string>> {
  const traceparent = `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, "0")}`;
  return { traceparent, ...state !== undefined && { tracestate: state } };
}
