/**
 * Writes schema/mtdf.schema.json from the one source in src/catalog/format/mtdf.ts; with --check only compares.
 *
 *   deno run --allow-read --allow-write scripts/schema.ts [--check]
 */
import { mtdfSchemaText } from "../src/catalog/format/mtdf.ts";

const file = new URL("../schema/mtdf.schema.json", import.meta.url);
if (Deno.args.includes("--check")) await check();
else await Deno.writeTextFile(file, mtdfSchemaText());

async function check(): Promise<void> {
  if (await present() === mtdfSchemaText()) return;
  const text = 'Schema file "schema/mtdf.schema.json" is stale: write it with ' +
    '"deno run --allow-read --allow-write scripts/schema.ts"\n';
  Deno.stderr.writeSync(new TextEncoder().encode(text));
  Deno.exitCode = 1;
}

async function present(): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(file);
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}
