import assert from "node:assert/strict";
import { renderNotebook } from "./read_notebook.ts";

Deno.test("K3 a notebook is its cells with ids, their outputs cut, pictures apart", () => {
  const cells = [
    { cell_type: "markdown", id: "m1", source: ["# Title\n", "text"] },
    {
      cell_type: "code",
      source: "print(1)",
      outputs: [
        { output_type: "stream", text: ["x".repeat(2050), "\n"] },
        { output_type: "display_data", data: { "image/png": "QUJD\n", "text/plain": "<Figure>" } },
        { output_type: "execute_result", data: { "text/plain": ["1"] } },
        { output_type: "error", traceback: ["\u001b[31mValueError\u001b[0m: bad"] },
      ],
    },
  ];
  assert.deepEqual(renderNotebook(JSON.stringify({ cells })), {
    text: [
      "--- cell 1, markdown, id m1 ---\n# Title\ntext",
      "--- cell 2, code ---\nprint(1)",
      `--- output ---\n${"x".repeat(2048)} … [+2 chars]`,
      "[image 1: image/png]",
      "1",
      "ValueError: bad\n",
    ].join("\n"),
    cells: 2,
    images: [{ name: "image 1", mimeType: "image/png", data: "QUJD" }],
  });
});

Deno.test("K3 what is no notebook is none", () => {
  assert.deepEqual(['{"cells":1}', "[]", "no JSON"].map(renderNotebook), [undefined, undefined, undefined]);
});
