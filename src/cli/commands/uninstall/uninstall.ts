/** `uninstall` removes our entry from a client's settings, and says what else is left on this machine. */
import { attempt, UsageError } from "../../../base/errors.ts";
import { userDirectory } from "../../../system/user_directories.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print } from "../../terminal/print.ts";
import { changeSettings } from "../clients/change_settings.ts";
import { type ChosenClient, chosenClients } from "../clients/client_settings.ts";
import { withoutEntry } from "../clients/settings_change.ts";
import { CLIENT_NAMES } from "../../../settings/flags/actions.ts";

/** Exit code 1: a person said no. @throws {UsageError} without a client, {UserError} if its file cannot change */
export async function uninstall(context: CommandContext): Promise<number> {
  const chosen = chosenClients(context);
  if (chosen.length === 0) {
    throw new UsageError(`Name the client: --client NAME, where NAME is ${CLIENT_NAMES.join(", ")}`);
  }
  for (const { title, settings } of chosen) {
    const code = settings === undefined ? await tellCode(title) : await removeEntry(settings, context);
    if (code !== 0) return code;
  }
  return chosen.some(({ settings }) => settings !== undefined) ? await tellRest(context) : 0;
}

async function tellCode(title: string): Promise<number> {
  await print(`${title} has no settings file: take the server out of your code\n`);
  return 0;
}

async function removeEntry(
  { file, entry }: NonNullable<ChosenClient["settings"]>,
  context: CommandContext,
): Promise<number> {
  const without = async (text: string | undefined) => text === undefined ? undefined : await withoutEntry(text, entry);
  return await changeSettings(file, without, context);
}

async function tellRest({ environment }: CommandContext): Promise<number> {
  const directories = [
    [userDirectory(environment, "XDG_CACHE_HOME"), "ahma_mcp", "logs, caches of package managers"],
    [userDirectory(environment, "XDG_CONFIG_HOME"), "ahma", "settings"],
    [
      userDirectory(environment, "XDG_STATE_HOME"),
      "ahma",
      "the token of the HTTP server, logins to other servers, what you allowed",
    ],
  ].filter(([base, name]) =>
    base !== undefined && attempt(Deno.errors.NotFound, () => Deno.lstatSync(`${base}/${name}`)) !== undefined
  );
  const lines = directories.map(([base, name, what]) => `  ${base}/${name}   ${what}`);
  if (lines.length > 0) {
    await print(`\nThese directories stay; remove them when no client uses the program:\n${lines.join("\n")}\n`);
  }
  return 0;
}
