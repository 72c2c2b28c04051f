/**
 * Writes the files of schema/ from their sources, src/catalog/format/mtdf.ts and the table of flags. With --check it
 * only compares.
 *
 *   deno run --allow-read --allow-write scripts/schema.ts [--check]
 */
import { mtdfSchemaText } from "../src/catalog/format/mtdf.ts";
import { policySchemaText } from "./policy_schema.ts";

const FILES = [["mtdf.schema.json", mtdfSchemaText()], ["policy.schema.json", policySchemaText()]] as const;

for (const [name, text] of FILES) {
  const file = new URL(`../schema/${name}`, import.meta.url);
  if (Deno.args.includes("--check")) await check(file, text);
  else await Deno.writeTextFile(file, text);
}

async function check(file: URL, wanted: string): Promise<void> {
  if (await present(file) === wanted) return;
  const text = `Schema file "schema/${file.pathname.split("/").at(-1)}" is stale: write it with ` +
    '"deno run --allow-read --allow-write scripts/schema.ts"\n';
  Deno.stderr.writeSync(new TextEncoder().encode(text));
  Deno.exitCode = 1;
}

async function present(file: URL): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(file);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}
