/**
 * Writes the profiles that profile_test.ts compares with, one for each set of options.
 *
 *   deno run --allow-read --allow-write scripts/seatbelt_golden.ts
 */
import { goldenFiles } from "../src/sandbox/seatbelt/_support/golden.ts";

const folder = new URL("../tests/fixtures/seatbelt/", import.meta.url);
await Deno.mkdir(folder, { recursive: true });
for await (const entry of Deno.readDir(folder)) await Deno.remove(new URL(entry.name, folder));
for (const [name, text] of Object.entries(goldenFiles())) await Deno.writeTextFile(new URL(name, folder), text);
