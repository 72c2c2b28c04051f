/** The clients that `--client` names, with the files of their settings. */
import { CLIENT_NAMES, type ClientName } from "../../../settings/flags/client_names.ts";
import { homeOf } from "../../../system/user_directories.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { CLIENTS, ENTRY_NAME } from "./client_facts.ts";
import { fileOf } from "./client_settings.ts";
import type { EntryIn } from "./settings_change.ts";
import { SettingsFile } from "./settings_file.ts";

export interface ChosenClient {
  readonly client: ClientName;
  readonly title: string;
  /** Undefined: a library, whose users write code. */
  readonly settings: { readonly file: SettingsFile; readonly entry: EntryIn } | undefined;
}

/** In the order of the flags; empty: none is given. @throws {UserError} where a file lies in home, and home is unknown */
export function chosenClients({ flags, environment }: CommandContext): readonly ChosenClient[] {
  const wanted = [...new Set(flags.get("client"))];
  return wanted.flatMap((name) => CLIENT_NAMES.find((client) => client === name) ?? []).map((client) => {
    return chosenClient(client, environment);
  });
}

function chosenClient(client: ClientName, environment: CommandContext["environment"]): ChosenClient {
  const { title, settings } = CLIENTS[client];
  if (settings === undefined) return { client, title, settings };
  const file = new SettingsFile(fileOf(settings), { project: Deno.cwd(), home: homeOf(environment) });
  return { client, title, settings: { file, entry: { file: file.shown, place: settings.place, name: ENTRY_NAME } } };
}
