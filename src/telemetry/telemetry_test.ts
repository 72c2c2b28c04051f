import assert from "node:assert/strict";
import { type Logger, SILENT } from "../base/log.ts";
import { unwrapOrUserError } from "../base/outcome.ts";
import { Telemetry } from "./telemetry.ts";

const MOST_WAITING = 2048;

/** A collector that answers as it is told; `ids` are those of the spans it took, `lost` what the metrics say. */
class Taker implements AsyncDisposable {
  status = 200;
  readonly ids: string[] = [];
  lost: string | undefined;
  /** Resolves with the next message of spans that is refused. */
  readonly refused = Promise.withResolvers<void>();
  /** Resolves when it has as many spans as may wait. */
  readonly full = Promise.withResolvers<void>();
  readonly #server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const body = await request.json();
    if (request.url.endsWith("/v1/metrics")) {
      const { metrics } = body.resourceMetrics[0].scopeMetrics[0];
      this.lost = metrics.find(({ name }: { readonly name: string }) => name === "ahma.spans.lost")?.sum.dataPoints[0]
        .asInt;
    } else if (this.status === 200) {
      const { spans } = body.resourceSpans[0].scopeSpans[0];
      this.ids.push(...spans.map(({ spanId }: { readonly spanId: string }) => spanId));
      if (this.ids.length >= MOST_WAITING) this.full.resolve();
    } else this.refused.resolve();
    return new Response("{}", { status: this.status });
  });

  open(log: Logger = SILENT): Telemetry {
    const address = `http://127.0.0.1:${this.#server.addr.port}`;
    return unwrapOrUserError(Telemetry.open({ address, environment: {}, transport: "stdio", log }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

async function call(telemetry: Telemetry, times: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < times; index++) {
    await telemetry.call("a", {}, (trace) => {
      ids.push(trace.spanId);
      return Promise.resolve({});
    });
  }
  return ids;
}

Deno.test("V5 the end sends all that waits, each span once, while a message is on its way", async () => {
  await using taker = new Taker();
  const telemetry = taker.open();
  const ids = await call(telemetry, 1800);
  await telemetry[Symbol.asyncDispose]();
  assert.deepStrictEqual(taker.ids, ids);
});

Deno.test("V5 spans beyond the bound are lost, counted, and told once; the others arrive when the collector is back", async () => {
  await using taker = new Taker();
  taker.status = 503;
  const warnings: string[] = [];
  const telemetry = taker.open({ ...SILENT, warn: (message) => void warnings.push(message) });
  const ids = await call(telemetry, MOST_WAITING);
  await taker.refused.promise;
  await call(telemetry, 7);
  taker.status = 200;
  await taker.full.promise;
  await telemetry[Symbol.asyncDispose]();
  assert.deepStrictEqual([taker.ids, taker.lost], [ids, "7"]);
  assert.deepStrictEqual(warnings.toSorted(), [
    "The collector of --otlp does not take what is sent",
    "The collector of --otlp takes too little, so spans are lost",
  ]);
});
