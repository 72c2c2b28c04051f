import assert from "node:assert/strict";
import { runsOf } from "fast-check";
import { encodeText } from "../../base/text.ts";
import { mutantsOf, parseAll } from "../helper/_support/mutants.ts";
import { pageText } from "./page_text.ts";

Deno.test("K5 a page has its text and title, whichever tags around its body it leaves out", async () => {
  const frames = [
    "<html><head><title>A</title></head><body>X</body></html>",
    "<!doctype html><html lang=en><meta charset=utf-8><title>A</title>X",
    "<html><head><title>A</title></head>X</html>",
    "<title>A</title>X",
    "<svg><p>d</p></svg><title>A</title>X",
  ];
  for (const frame of [...frames, "X"]) {
    const bytes = encodeText(frame.replace("X", "<p>b <b>c</b></p><script>d</script>"));
    const expected = { title: frame === "X" ? undefined : "A", text: "b **c**" };
    assert.deepEqual(await pageText(bytes, "text/html", new URL("https://a.example/")), expected);
  }
});

Deno.test("K5 a table of a page is one of Markdown, whatever its rows leave out", async () => {
  const tables = {
    "<table><thead><tr><th>a</th> <th>b</th></tr></thead><tbody><tr><td>1|2</td><td><p>3</p>4</td></tr></tbody></table>":
      "| a | b |\n| --- | --- |\n| 1\\|2 | 3 4 |",
    "<table><tr><td>1<td>2<tr><td>3</table>": "| 1 | 2 |\n| --- | --- |\n| 3 |",
    "<p>a</p><table></table><table><tr></tr></table><p>b</p>": "a\n\nb",
  };
  for (const [html, text] of Object.entries(tables)) {
    const bytes = encodeText(`<html><body>${html}</body></html>`);
    assert.deepEqual(await pageText(bytes, "text/html", new URL("https://a.example/")), { title: undefined, text });
  }
});

Deno.test("K5 a page has its text where its tree is too deep or large to be an article, or its blanks have no end", async () => {
  const words = "<p>Some words of an article, which has many of them.</p>";
  const nested = (depth: number) => "<div>".repeat(depth) + "</div>".repeat(depth);
  const pages: Readonly<Record<string, string>> = {
    [`<b>a\n b</b>${"<div>".repeat(10_000)}c`]: "a\nbc",
    // The depths of all elements are summed.
    [words.repeat(4) + nested(395).repeat(4)]: `${words.slice(3, -4)}\n\n`.repeat(4).trim(),
    [`<table><tr><td>a${"&nbsp;".repeat(100_000)}b`]: `| a${"\u00a0".repeat(200)}b |\n| --- |`,
  };
  for (const [html, text] of Object.entries(pages)) {
    const bytes = encodeText(`<html><body>${html}</body></html>`);
    assert.deepEqual(await pageText(bytes, "text/html", new URL("https://a.example/")), { title: undefined, text });
  }
});

Deno.test("K5 lists are short Markdown, and of a short page its main part is shown", async () => {
  const lists =
    "<ul><li>a<ul><li>b</li></ul></li><li><p>c</p><p>d</p></li></ul><ol start=9><li>e</li><li>f<br>g</li></ol>";
  const page = `<html><body><nav><a href=/>Home</a></nav><main>${lists}<hr></main><footer>Ours</footer></body></html>`;
  const { text } = await pageText(encodeText(page), "text/html", new URL("https://a.example/")) ?? {};
  assert.equal(text, "- a\n  - b\n- c\n\n  d\n\n9. e\n10. f  \n    g\n\n---");
});

const WHOLE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><base href="/b/"><title>A &amp; B</title><style>p { color: red }</style></head>
<body><nav><a href="../x?a=1&amp;b=2">Home</a></nav><article><h1>Words</h1><p>some <b>words</b> <i>here</i><br>and there</p>
<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table><ul><li>one<li>two</ul>
<pre><code class="language-ts">let a = 1;</code></pre><img src="p.png" alt="p"><svg><title>t</title></svg></article></body></html>
`;
const WORDS = [
  "<div>",
  "</p>",
  "<table><tr>",
  "<!--",
  "]]>",
  "<svg>",
  "<template>",
  "&#x110000;",
  "<a href='//[::'>",
  "=",
];
const MUTANTS = runsOf(100);

Deno.test("K5 a damaged page gives its text, each time", async () => {
  const task = { contentType: "text/html", url: "https://a.example/", raw: false, from: 0, length: 100_000 };
  const [whole, ...parsed] = await parseAll("page", task, [WHOLE, ...mutantsOf(WHOLE, WORDS, MUTANTS)]);
  assert.match(whole !== undefined && "text" in whole ? whole.text : "", /some \*\*words\*\* _here_/);
  assert.equal(parsed.length, MUTANTS);
  assert.deepEqual(parsed.filter((one) => "problem" in one), []);
});
