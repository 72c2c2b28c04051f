import assert from "node:assert/strict";
import { Collector, pauseIn } from "./collector.ts";

Deno.test("V5 a pause is read from seconds and from dates", () => {
  const now = Date.parse("2026-11-26T12:00:00Z");
  assert.deepStrictEqual(
    [null, "0", "120", "Thu, 26 Nov 2026 12:00:30 GMT", "Thu, 26 Nov 2026 11:00:00 GMT", "soon"].map((text) => {
      return pauseIn(text, now);
    }),
    [undefined, 0, 120_000, 30_000, 0, undefined],
  );
});

Deno.test("V5 a collector is refused whose address or headers are of no use, and neither is repeated", () => {
  const at = (address: string, headers = "") => Collector.at(address, { OTEL_EXPORTER_OTLP_HEADERS: headers });
  for (const address of ["http://127.0.0.1:4318", "https://c.example/otlp/", "HTTP://[::1]:1"]) {
    assert.ok(at(address, " a=1 , authorization=Basic%20YTpi==,").ok);
  }
  const wrong = [
    at("c.example:4318"),
    at("file:///secret"),
    at("https://u:secret@c.example"),
    at("https://secret@c.example"),
    at("https://c.example?secret"),
    at("https://c.example#secret"),
    at("https://c.example", "secret"),
    at("https://c.example", "=secret"),
    at("https://c.example", "a=secret%"),
    at("https://c.example", "a b=secret"),
    at("https://c.example", "a=secret%0d%0ab"),
  ];
  for (const one of wrong) assert.ok(!one.ok && !one.problem.includes("secret"), JSON.stringify(one));
});
