/** docs/tools.md by its word: each example is loaded, and what is printed beside it is what happens. */
import assert from "node:assert/strict";
import { loadCatalogFromTexts } from "../src/catalog/load/load.ts";
import { describeDiagnostic } from "../src/base/diagnostic.ts";
import { resolveCall } from "../src/catalog/model/resolve.ts";
import { checkArguments } from "../src/command/arguments.ts";
import { prepareCommand } from "../src/command/command_line.ts";

const GUIDE = await Deno.readTextFile(new URL("../docs/tools.md", import.meta.url));
const SCHEMA = await Deno.readTextFile(new URL("../schema/mtdf.schema.json", import.meta.url));

/** A tool file, and the lines of the block after it: problems, or calls with the argv each makes. */
interface Example {
  readonly text: string;
  readonly beside: readonly string[];
  /** Of the file, in the guide. */
  readonly line: number;
}

function examples(): readonly Example[] {
  const blocks = GUIDE.matchAll(/^```json\n([^]*?)^```\n(?:\n```text\n([^]*?)^```)?/gm);
  return Array.from(blocks, ({ 1: text = "", 2: beside = "", index }) => ({
    text,
    beside: beside.split("\n").filter((line) => line !== ""),
    line: GUIDE.slice(0, index).split("\n").length,
  }));
}

/** What the lines after `→` must say of the calls before them. */
async function argvsOf(text: string, calls: readonly string[]): Promise<readonly string[]> {
  const catalog = await loadCatalogFromTexts([{ file: "tool.json", text }]);
  return calls.flatMap((line, index) => {
    if (index % 2 === 1) return [];
    const [name = ""] = line.split(" ", 1);
    const call = resolveCall(catalog, name, JSON.parse(line.slice(name.length)));
    assert.ok(call.ok, line);
    const checked = checkArguments(call.value.leaf, call.value.args);
    assert.ok(checked.ok, line);
    const command = prepareCommand(call.value.leaf, checked.value);
    assert.ok(command.ok, line);
    return [line, `→ ${JSON.stringify(command.value.argv)}`];
  });
}

/** The same list, whatever the white space in it. */
function compact(line: string): string {
  return line.startsWith("→") ? `→ ${JSON.stringify(JSON.parse(line.slice(1)))}` : line;
}

for (const { text, beside, line } of examples()) {
  Deno.test(`T2 T4 T7 the example at line ${line} of docs/tools.md is what it says`, async () => {
    const file = /^[\w-]+\.json/.exec(beside[0] ?? "")?.[0];
    const { leaves, diagnostics } = await loadCatalogFromTexts([{ file: file ?? "tool.json", text }]);
    assert.deepStrictEqual(diagnostics.map(describeDiagnostic), file === undefined ? [] : beside);
    if (file !== undefined) return;
    assert.ok(leaves.length > 0);
    assert.deepStrictEqual(await argvsOf(text, beside), beside.map(compact));
  });
}

Deno.test("T2 docs/tools.md has examples of every kind", () => {
  const beside = examples().map((example) => example.beside[1]?.startsWith("→") ? "argv" : example.beside.length);
  assert.ok(beside.filter((kind) => kind === "argv").length >= 3);
  assert.ok(beside.filter((kind) => kind !== "argv" && kind > 0).length >= 4);
});

/** Every name under a `properties` of the schema. */
function fieldsIn(node: unknown): readonly string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [
    ...(key === "properties" ? Object.keys(value) : []),
    ...fieldsIn(value),
  ]);
}

Deno.test("T2 T3 docs/tools.md names every field of the schema, and shows in an example each that has an effect", () => {
  const fields = [...new Set(fieldsIn(JSON.parse(SCHEMA)))];
  assert.ok(fields.length > 40);
  assert.deepStrictEqual(fields.filter((field) => !GUIDE.includes(`\`${field}\``)), []);
  const shown = examples().map(({ text }) => text).join("");
  const unshown = fields.filter((field) => !shown.includes(`"${field}":`));
  assert.deepStrictEqual(unshown.toSorted(), [
    "guidance_key",
    "input_schema",
    "livelog",
    "monitor_level",
    "monitor_stream",
    "tool_type",
  ]);
});
