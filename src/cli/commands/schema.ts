import { messageOf, UserError } from "../../base/errors.ts";
import { mtdfSchemaText } from "../../catalog/format/schema.ts";
import { print, printProblem } from "../terminal/print.ts";
import type { CommandContext } from "../terminal/command_context.ts";

/** Prints the JSON Schema of tool files, or writes it to the file of `--write` (requirement L4). */
export async function schema({ flags }: CommandContext): Promise<number> {
  const file = flags.get("write")?.[0];
  if (file === undefined) {
    await print(mtdfSchemaText());
    return 0;
  }
  try {
    await Deno.writeTextFile(file, mtdfSchemaText());
  } catch (thrown) {
    throw new UserError(`Cannot write the schema to "${file}": ${messageOf(thrown)}`, { cause: thrown });
  }
  await printProblem(`Wrote ${file}`);
  return 0;
}
