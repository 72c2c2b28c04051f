/** What a server reports to the collector that its user named (V5): spans of calls and operations, counts and
 * durations. It sends only names of known tools and servers, states, codes and numbers: no argument, output, title or
 * path.
 */
import type { Logger } from "../base/log.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import type { TraceContext } from "../wire/trace_context.ts";
import { VERSION } from "../base/version.ts";
import { isEnded } from "../operation/operation.ts";
import type { Operation } from "../operation/operation_record.ts";
import type { Transition } from "../operation/registry.ts";
import { member } from "../wire/json_value.ts";
import { Channel } from "./channel.ts";
import { Collector } from "./collector.ts";
import { Durations, Sum } from "./instruments.ts";
import { type Attributes, type EndedSpan, metricsBody, type Origin, tracesBody } from "./otlp.ts";

export interface TelemetryOptions {
  /** As typed. */
  readonly address: string;
  /** The server's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** How clients connect. */
  readonly transport: "stdio" | "http";
  readonly log: Logger;
}

/** Where a call comes from. */
export interface CallOrigin {
  /** Absent or undefined: its client gave none. */
  readonly trace?: TraceContext | undefined;
  /** Name and version of the client, as it says; absent: it does not. */
  readonly clientInfo?: unknown;
}

/** Spans that wait for the collector; further ones are lost. */
const MOST_WAITING = 2048;
const LARGEST_BATCH = 512;
const SPANS_DELAY_MS = 1000;
const METRICS_DELAY_MS = 30_000;
/** How long the end of the program may wait for the collector. */
const LAST_MS = 900;
const LONGEST_CLIENT = 100;
const METHOD = "tools/call";
const SAMPLED = 1;

export class Telemetry implements AsyncDisposable {
  readonly #collector: Collector;
  readonly #options: TelemetryOptions;
  readonly #origin: Origin;
  readonly #startMs = Date.now();
  readonly #waiting: EndedSpan[] = [];
  readonly #told = new Set<string>();
  readonly #spans = new Channel({
    send: (signal) => this.#sendSpans(signal),
    delayMs: SPANS_DELAY_MS,
    onFailure: (why) => this.#warn("The collector of --otlp does not take what is sent", { why }),
  });
  readonly #metrics = new Channel({
    send: (signal) => this.#sendMetrics(signal),
    delayMs: METRICS_DELAY_MS,
    onFailure: (why) => this.#warn("The collector of --otlp does not take what is sent", { why }),
  });
  readonly #calls = new Durations({
    name: "mcp.server.operation.duration",
    description: "How long calls of tools took",
  });
  readonly #durations = new Durations({
    name: "ahma.operation.duration",
    description: "How long operations ran, without their time in the queue",
  });
  readonly #ended = new Sum({ name: "ahma.operations", description: "Operations that ended", unit: "{operation}" }, {
    isMonotonic: true,
  });
  readonly #active = new Sum({
    name: "ahma.operations.active",
    description: "Operations that wait or run",
    unit: "{operation}",
  }, { isMonotonic: false });
  readonly #denials = new Sum({
    name: "ahma.denials",
    description: "What the sandbox kept from commands of operations",
    unit: "{denial}",
  }, { isMonotonic: true });
  readonly #lost = new Sum({ name: "ahma.spans.lost", description: "Spans that were not sent", unit: "{span}" }, {
    isMonotonic: true,
  });

  private constructor(collector: Collector, options: TelemetryOptions) {
    this.#collector = collector;
    this.#options = options;
    const instance = crypto.randomUUID();
    this.#origin = {
      resource: { "service.name": "ahma_mcp", "service.version": VERSION, "service.instance.id": instance },
      scope: { name: "ahma_mcp", version: VERSION },
    };
  }

  /** Sends nothing before something happens. The problem says why it cannot send. */
  static open(options: TelemetryOptions): Outcome<Telemetry> {
    const collector = Collector.at(options.address, options.environment);
    return collector.ok
      ? success(new Telemetry(collector.value, options))
      : failure(`Cannot use the address of --otlp: ${collector.problem}`);
  }

  /** A new span with this `parent`; undefined: it has none. */
  child(parent: TraceContext | undefined): TraceContext {
    const spanId = randomHex(8);
    if (parent === undefined) return { traceId: randomHex(16), spanId, flags: SAMPLED };
    return { ...parent, spanId, parentId: parent.spanId };
  }

  /** Does one `tools/call` as a span. `tool`: reported only if it exists. */
  async call<Result extends { readonly isError?: boolean | undefined }>(
    tool: string,
    origin: CallOrigin,
    work: (trace: TraceContext) => Promise<Result>,
  ): Promise<Result> {
    const trace = this.child(origin.trace);
    const [startMs, began] = [Date.now(), performance.now()];
    const end = (known: Attributes) => {
      const elapsedMs = performance.now() - began;
      const attributes = { "mcp.method.name": METHOD, ...known };
      this.#calls.record(elapsedMs / 1000, attributes);
      const name = [METHOD, known["gen_ai.tool.name"] ?? []].flat().join(" ");
      const transport = this.#options.transport === "stdio" ? "pipe" : "tcp";
      this.#add({
        trace,
        name,
        kind: "server",
        startMs,
        endMs: Math.max(Date.now(), startMs + elapsedMs),
        isError: known["error.type"] !== undefined,
        attributes: { ...attributes, "network.transport": transport, ...clientNames(origin) },
      });
    };
    try {
      const result = await work(trace);
      end({ "gen_ai.tool.name": tool, "error.type": result.isError === true ? "tool_error" : undefined });
      return result;
    } catch (thrown) {
      // The name of a missing tool is the client's own text.
      end({ "error.type": String(member(thrown, "code") ?? "exception") });
      throw thrown;
    }
  }

  /** Called with each change of an operation. */
  readonly observe = ({ operation, from, to }: Transition): void => {
    if (from !== undefined) this.#active.add(-1, { "ahma.state": from });
    if (isEnded(to)) this.#end(operation);
    else this.#active.add(1, { "ahma.state": to });
    this.#metrics.news();
  };

  /** Sends what is left, within a second. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#spans.close(LAST_MS), this.#metrics.close(LAST_MS)]);
  }

  #end(operation: Operation): void {
    const { tool, server, state, end, startedAt, createdAt, network, output } = operation;
    const endedAt = operation.endedAt ?? Date.now();
    const command = end?.command;
    const denials = command?.denials?.length ?? 0;
    const which = { "gen_ai.tool.name": tool, "ahma.server": server };
    this.#ended.add(1, { ...which, "ahma.state": state });
    if (startedAt !== undefined) {
      this.#durations.record((endedAt - startedAt) / 1000, { ...which, "ahma.state": state });
    }
    if (denials > 0) this.#denials.add(denials, { ...which, "ahma.denial": "sandbox" });
    if (network.refusals > 0) this.#denials.add(network.refusals, { ...which, "ahma.denial": "network" });
    this.#add({
      trace: operation.trace ?? this.child(undefined),
      name: server === undefined ? `operation ${tool}` : `${METHOD} ${tool}`,
      kind: server === undefined ? "internal" : "client",
      startMs: createdAt,
      endMs: endedAt,
      isError: state !== "completed",
      attributes: {
        ...which,
        "ahma.state": state,
        "ahma.operation": operation.id,
        "ahma.queued_ms": (startedAt ?? endedAt) - createdAt,
        "ahma.output_bytes": output.totalBytes,
        "ahma.denials": denials,
        "ahma.network.refusals": network.refusals,
        "process.exit.code": command?.kind === "exited" && server === undefined ? command.code : undefined,
        "ahma.signal": command?.kind === "signalled" ? command.signal : undefined,
      },
    });
  }

  #add(span: EndedSpan): void {
    this.#metrics.news();
    if ((span.trace.flags & SAMPLED) === 0) return;
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(span);
    else {
      this.#lost.add(1, {});
      this.#warn("The collector of --otlp takes too little, so spans are lost", { waiting: MOST_WAITING });
    }
    this.#spans.news(this.#waiting.length >= LARGEST_BATCH);
  }

  async #sendSpans(signal: AbortSignal) {
    const batch = this.#waiting.slice(0, LARGEST_BATCH);
    const sent = await this.#collector.send("/v1/traces", tracesBody(this.#origin, batch), signal);
    if (sent.kind !== "later") this.#waiting.splice(0, batch.length);
    if (sent.kind === "refused") this.#lost.add(batch.length, {});
    return { ...sent, isAll: this.#waiting.length === 0 };
  }

  async #sendMetrics(signal: AbortSignal) {
    const instruments = [this.#calls, this.#durations, this.#ended, this.#active, this.#denials, this.#lost];
    const metrics = instruments.map((one) => one.read());
    const body = metricsBody(this.#origin, metrics, { startMs: this.#startMs, nowMs: Date.now() });
    return { ...await this.#collector.send("/v1/metrics", body, signal), isAll: true };
  }

  /** Logs each message once: an unreachable collector must not fill the log. */
  #warn(message: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#options.log.warn(message, fields);
  }
}

function clientNames({ clientInfo }: CallOrigin): Attributes {
  const text = (name: string) => {
    const value = member(clientInfo, name);
    return typeof value === "string" ? value.slice(0, LONGEST_CLIENT) : undefined;
  };
  return { "ahma.client.name": text("name"), "ahma.client.version": text("version") };
}

function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}
