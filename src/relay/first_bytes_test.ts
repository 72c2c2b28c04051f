import assert from "node:assert/strict";
import { textBytes } from "./parse/host_name.ts";
import { judgeOf } from "./first_bytes.ts";

const REQUEST = textBytes("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n");

Deno.test("S33 judgeOf() names the port that takes only TLS, and a flag only where that opens it", () => {
  const why = "was not asked for by that name: port";
  assert.deepStrictEqual(judgeOf("a.example", 443, { isEnded: false })(REQUEST), {
    refused: { reason: `${why} 443 takes only TLS`, flag: "--network ...,a.example:443/any" },
  });
  for (const port of [80, 443, 8443]) {
    assert.deepStrictEqual(judgeOf("a.example", port, { isEnded: true })(REQUEST), {
      refused: { reason: `${why} ${port} takes only TLS, because a secret is bound to it` },
    });
  }
});
