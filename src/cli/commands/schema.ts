import { messageOf, UserError } from "../../base/errors.ts";
import { mtdfSchemaText } from "../../catalog/format/mtdf.ts";
import { print, printProblem } from "../terminal/print.ts";
import type { CommandContext } from "../terminal/command_context.ts";

/** Prints the JSON Schema of tool files, or writes it to the files of `--write` (requirement L4). */
export async function schema({ flags }: CommandContext): Promise<number> {
  const files = flags.get("write");
  if (files === undefined) await print(mtdfSchemaText());
  for (const file of files ?? []) {
    try {
      await Deno.writeTextFile(file, mtdfSchemaText());
    } catch (thrown) {
      throw new UserError(`Cannot write the schema to "${file}": ${messageOf(thrown)}`, { cause: thrown });
    }
    await printProblem(`Wrote ${file}`);
  }
  return 0;
}
