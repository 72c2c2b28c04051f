import assert from "node:assert/strict";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { mtdfSchemaText } from "./mtdf.ts";

const SHIPPED = new URL("../../../tools/", import.meta.url);
const PUBLISHED = new URL("../../../schema/mtdf.schema.json", import.meta.url);

Deno.test("T3 mtdfSchemaText() is what schema/mtdf.schema.json holds", async () => {
  assert.equal(await Deno.readTextFile(PUBLISHED), mtdfSchemaText());
});

Deno.test("T3 the published schema accepts the shipped files and refuses a misspelt field", async () => {
  const check = new AjvJsonSchemaValidator().getValidator(JSON.parse(mtdfSchemaText()));
  const verdicts: boolean[] = [];
  for await (const { name } of Deno.readDir(SHIPPED)) {
    if (name.endsWith(".json")) verdicts.push(check(JSON.parse(await Deno.readTextFile(new URL(name, SHIPPED)))).valid);
  }
  assert.deepStrictEqual([...new Set(verdicts)], [true]);
  assert.ok(!check({ command: "x", optons: [] }).valid);
});
