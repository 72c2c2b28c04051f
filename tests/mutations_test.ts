/**
 * What a person can get wrong in a tool file: one good file, changed in one place at a time. Each change is refused
 * with the place and the reason, or taken with a reason why it is legal; and the server starts whatever lies there.
 */
import assert from "node:assert/strict";
import { loadCatalogFromTexts } from "../src/catalog/load/load.ts";
import { describeDiagnostic, type Diagnostic } from "../src/base/diagnostic.ts";
import { until } from "./_support/deadline.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";
import { HARMLESS } from "./mutations/harmless.ts";
import { JSON_TEXT } from "./mutations/json_text.ts";
import { MEANING } from "./mutations/meaning.ts";
import { MISSING } from "./mutations/missing.ts";
import { mutated, type Mutation } from "./mutations/mutation.ts";
import { TYPES } from "./mutations/types.ts";
import { UNKNOWN_FIELDS } from "./mutations/unknown_fields.ts";
import { VALUES } from "./mutations/values.ts";

const GOOD = await Deno.readTextFile(new URL("./mutations/good.json", import.meta.url));
const MUTATIONS: readonly Mutation[] = [
  ...JSON_TEXT,
  ...MISSING,
  ...TYPES,
  ...UNKNOWN_FIELDS,
  ...VALUES,
  ...MEANING,
  ...HARMLESS,
];

/** Without the file's name, and without the list of every field there is. */
function sentence(problem: Diagnostic): string {
  return describeDiagnostic(problem).replace("tool.json:", "").replace(/known fields: .*(?= \()/, "known fields: …");
}

Deno.test("T2 the unmutated file is valid", async () => {
  const { leaves, diagnostics } = await loadCatalogFromTexts([{ file: "tool.json", text: GOOD }]);
  assert.deepStrictEqual(diagnostics, []);
  assert.deepStrictEqual(leaves.map(({ name }) => name), [
    "store_put",
    "store_list",
    "store_remote_add",
    "store_remote",
    "store_all",
  ]);
});

for (const mutation of MUTATIONS) {
  Deno.test(`T4 ${mutation.what} is ${mutation.legal === undefined ? "refused" : "legal"}`, async () => {
    const catalog = await loadCatalogFromTexts([{ file: "tool.json", text: mutated(GOOD, mutation) }]);
    assert.deepStrictEqual(catalog.diagnostics.map(sentence), mutation.says);
    const errors = catalog.diagnostics.filter(({ severity }) => severity === "error");
    assert.equal(errors.length === 0, mutation.legal !== undefined);
    if (errors.length > 0) assert.deepStrictEqual(catalog.leaves, []);
  });
}

Deno.test("T4 over a hundred mutations are refused, and each of them by its line", () => {
  const refused = MUTATIONS.filter(({ legal }) => legal === undefined);
  assert.ok(refused.length >= 100, `${refused.length}`);
  for (const { what, says } of refused) assert.match(says[0] ?? "", /^[1-9]\d*:[1-9]\d*: error: /, what);
});

/** What no mutation of a text can be. */
const HOPELESS: Readonly<Record<string, string>> = {
  "a-empty.json": "",
  "a-blank.json": "\n \n",
  "a-deep.json": "[".repeat(100_000),
  "a-deep-object.json": '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000),
  "a-binary.json": "\u0000\u0001\u0002",
  "a-prose.json": "Dear server,",
};

/** The mutation as a file of its own, whose program is there. */
function fileOf(mutation: Mutation, index: number): string {
  return mutated(GOOD, mutation).replaceAll("store-it", "true").replaceAll('"store"', `"m${index}"`);
}

async function listedNames(server: ServerProcess): Promise<readonly string[]> {
  const names: string[] = [];
  let cursor: unknown;
  do {
    const { result } = await server.request("tools/list", cursor === undefined ? {} : { cursor });
    // The wire format of tools/list.
    const page = result as { readonly tools: readonly { readonly name: string }[]; readonly nextCursor?: string };
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}

Deno.test("T1 T4 the server starts with every mutation in one directory and serves what is good", async () => {
  using bench = new Workbench();
  for (const [index, mutation] of MUTATIONS.entries()) bench.write(`tools/m${index}.json`, fileOf(mutation, index));
  for (const [name, text] of Object.entries(HOPELESS)) bench.write(`tools/${name}`, text);
  // A field without effect may hold anything.
  bench.write("tools/deep.json", `{"command":"true","input_schema":${"[".repeat(50_000)}${"]".repeat(50_000)}}`);
  bench.write(
    "tools/zz-good.json",
    '{"name":"good","description":"Says it","command":"echo good","synchronous":true,"allow_args":true}',
  );
  await using server = await ServerProcess.start(bench, { flags: ["--tools-dir", `${bench.scope}/tools`] });
  const legal = MUTATIONS.flatMap(({ legal, what }, index) =>
    legal === undefined || what === "a tool that is switched off" ? [] : [`m${index}`]
  );
  const served = async () => {
    const names = (await listedNames(server)).map((name) => /^m\d+/.exec(name)?.[0]);
    return [...new Set(names)].filter((name) => name !== undefined);
  };
  await until(async () => (await served()).length >= legal.length, 20_000, "the probes of what is legal");
  assert.deepStrictEqual((await served()).toSorted(), legal.toSorted());
  assert.match((await server.call("good", { args: ["as ever"] })).text, /^good as ever$/m);
  assert.ok((await listedNames(server)).includes("true"));
  const status = await server.call("status");
  for (const name of Object.keys(HOPELESS)) assert.ok(status.text.includes(name), `${name} in ${status.text}`);
});
