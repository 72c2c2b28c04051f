/**
 * `init` writes a first tool file that explains itself, its schema for editors, and the entry for a client. It changes
 * no existing file.
 */
import { messageOf, UserError } from "../../../base/errors.ts";
import { mtdfSchemaText } from "../../../catalog/format/schema.ts";
import { print } from "../../terminal/print.ts";
import { type ClientSettings, clientSettings } from "./client_settings.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { EXAMPLE_TOOL_TEXT } from "./example_tool.ts";
import { thisProgram } from "../../../app/own_program.ts";

/** Writes the files; resolves with the exit code. */
export async function init({ flags }: CommandContext): Promise<number> {
  const project = Deno.cwd();
  const said = [
    await write(".ahma/schema/mtdf.schema.json", mtdfSchemaText()),
    await write(".ahma/tools/hello.json", EXAMPLE_TOOL_TEXT),
  ];
  const wanted = flags.get("client")?.[0];
  const all = clientSettings(thisProgram(), project);
  const chosen = all.filter(({ client }) => client === wanted);
  for (const { file, inProject, text } of chosen) if (inProject) said.push(await write(file, text));
  const shown = wanted === undefined ? all : chosen.filter(({ inProject, file }) => !inProject || wasThere(said, file));
  const entries = shown.map((settings) => `${placeOf(settings)}:\n\n${settings.text}`);
  const next = [
    "",
    "Try it:       ahma_mcp call hello_greet world",
    "Check it:     ahma_mcp validate",
    "Then rename hello.json and describe a program of your own; your editor completes the fields.",
    "",
  ];
  const paste = entries.length === 0 ? [] : ["Put this into your client's settings:", "", entries.join("\n")];
  await print([...said, ...next, ...paste].join("\n") + "\n");
  return 0;
}

/** The client and its settings; a file of the user is left for the user to change. */
function placeOf({ title, file, inProject }: ClientSettings): string {
  return `${title}, ${file}${inProject ? "" : " (your own file: init writes in the project only)"}`;
}

const EXISTS = "exists and was left as it is";

function wasThere(said: readonly string[], file: string): boolean {
  return said.includes(`${file} ${EXISTS}`);
}

/** Writes a new file; says what was done. @throws {UserError} when it can be neither written nor found */
async function write(file: string, text: string): Promise<string> {
  const slash = file.lastIndexOf("/");
  try {
    if (slash > 0) await makeDirectories(file.slice(0, slash).split("/"));
    await Deno.writeTextFile(file, text, { createNew: true });
    return `${file} written`;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.AlreadyExists) return `${file} ${EXISTS}`;
    throw new UserError(`Cannot write "${file}": ${messageOf(thrown)}`, { cause: thrown });
  }
}

/**
 * Creates nested directories of the project. A cloned project may contain a link in their place; its target is no part
 * of the project.
 */
async function makeDirectories(names: readonly string[]): Promise<void> {
  for (let count = 1; count <= names.length; count++) {
    const directory = names.slice(0, count).join("/");
    try {
      await Deno.mkdir(directory);
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.AlreadyExists)) throw thrown;
    }
    if ((await Deno.lstat(directory)).isDirectory) continue;
    throw new UserError(
      `"${directory}" is no directory, and a link may lead out of the project. Remove it, or write the file by hand`,
    );
  }
}
