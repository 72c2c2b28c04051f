import { strict as assert } from "node:assert";
import { postForm, takesStream } from "./accept_header.ts";

const MATRIX: readonly (readonly [accept: string | null, post: string | undefined, get: boolean])[] = [
  [null, "json", true],
  ["", "json", true],
  ["application/json", "json", false],
  ["text/event-stream", "stream", true],
  ["application/json, text/event-stream", "stream", true],
  ["text/event-stream, application/json", "stream", true],
  ["APPLICATION/JSON; charset=utf-8", "json", false],
  ["*/*", "json", true],
  ["application/*", "json", false],
  ["text/*", "stream", true],
  ["text/event-stream;q=0, application/json", "json", false],
  ["text/event-stream; q=0.0", undefined, false],
  ["application/json;q=0, */*", "stream", true],
  ["application/json;q=0.5, text/event-stream;q=0.4", "stream", true],
  ["text/html", undefined, false],
  ["application/jsonp", undefined, false],
  ["x-application/json, text/event-streams", undefined, false],
];

for (const [accept, post, get] of MATRIX) {
  Deno.test(`H7 Accept ${JSON.stringify(accept)}`, () => {
    assert.deepStrictEqual([postForm(accept), takesStream(accept)], [post, get]);
  });
}
