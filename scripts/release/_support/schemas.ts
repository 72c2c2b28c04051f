/** The schemas that others publish, for tests: tests/fixtures/schemas. */
import { Ajv } from "ajv";

const DIRECTORY = new URL("../../../tests/fixtures/schemas/", import.meta.url);

/** What is wrong with a value by one of these schemas, as place and message; empty: nothing. */
export async function faultsBy(schema: string, value: unknown): Promise<readonly string[]> {
  // Formats of the schemas are those of later drafts, which the validator does not know.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const files = await Array.fromAsync(Deno.readDir(DIRECTORY));
  for (const { name } of files) {
    if (!name.endsWith(".json")) continue;
    const text: object = JSON.parse(await Deno.readTextFile(new URL(name, DIRECTORY)));
    ajv.addSchema(text);
  }
  const validate = ajv.getSchema(schema);
  if (validate === undefined) throw new Error(`There is no schema "${schema}" in tests/fixtures/schemas`);
  await validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
