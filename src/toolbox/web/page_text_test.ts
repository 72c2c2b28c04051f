import assert from "node:assert/strict";
import { encodeText } from "../../base/text.ts";
import { pageText } from "./page_text.ts";

Deno.test("K5 a page has its text and title, whichever tags around its body it leaves out", async () => {
  const frames = [
    "<html><head><title>A</title></head><body>X</body></html>",
    "<!doctype html><html lang=en><meta charset=utf-8><title>A</title>X",
    "<html><head><title>A</title></head>X</html>",
    "<title>A</title>X",
  ];
  for (const frame of [...frames, "X"]) {
    const bytes = encodeText(frame.replace("X", "<p>b <b>c</b></p><script>d</script>"));
    const expected = { title: frame === "X" ? undefined : "A", text: "b **c**" };
    assert.deepEqual(await pageText(bytes, "text/html", new URL("https://a.example/")), expected);
  }
});
