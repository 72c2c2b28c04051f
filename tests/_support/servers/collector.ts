/** An OpenTelemetry collector on the loopback, which stores what it receives. */
import { until } from "../deadline.ts";

export interface Received {
  readonly path: string;
  readonly body: string;
  readonly headers: Headers;
}

/** A span with its attributes as an object. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Its answer to a request to this path. */
type Answer = (path: string) => Response | Promise<Response>;

export class TestCollector implements AsyncDisposable {
  /** In their order. */
  readonly received: Received[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(answer: Answer = () => Response.json({})) {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
      const received = { path: new URL(request.url).pathname, body: await request.text(), headers: request.headers };
      this.received.push(received);
      return await answer(received.path);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Of all messages so far. */
  get spans(): readonly ReceivedSpan[] {
    return this.received.filter(({ path }) => path === "/v1/traces").flatMap(({ body }) => spansIn(body));
  }

  /** The last reported data of a metric, by the values of its attributes. */
  points(name: string): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
    const last = this.received.findLast(({ path }) => path === "/v1/metrics")?.body ?? "{}";
    const { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] } = JSON.parse(last);
    const { sum, histogram } = metrics.find((one: { readonly name: string }) => one.name === name) ?? { sum: {} };
    const points = (sum ?? histogram).dataPoints ?? [];
    return new Map(points.map((point: { readonly attributes: Pairs }) => [
      Object.values(valuesOf(point.attributes)).join(" "),
      point,
    ]));
  }

  async appears(name: string): Promise<ReceivedSpan> {
    return await until(() => this.spans.find((one) => one.name === name), 20_000, `the span "${name}"`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

type Pairs = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

function valuesOf(pairs: Pairs): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}

function spansIn(body: string): readonly ReceivedSpan[] {
  const { resourceSpans: [{ scopeSpans: [{ spans }] }] } = JSON.parse(body);
  return spans.map((span: { readonly attributes: Pairs }) => ({ ...span, attributes: valuesOf(span.attributes) }));
}
