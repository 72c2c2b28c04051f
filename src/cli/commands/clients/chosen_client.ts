/** The client that `--client` names, with the file of its settings. */
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

/** Undefined: the flag is not given. @throws {UserError} where the file lies in home, and home is unknown */
export function chosenClient({ flags, environment }: CommandContext): ChosenClient | undefined {
  const wanted = flags.get("client")?.[0];
  const client = CLIENT_NAMES.find((name) => name === wanted);
  if (client === undefined) return undefined;
  const { title, settings } = CLIENTS[client];
  if (settings === undefined) return { client, title, settings };
  const file = new SettingsFile(fileOf(settings), { project: Deno.cwd(), home: homeOf(environment) });
  return { client, title, settings: { file, entry: { file: file.shown, place: settings.place, name: ENTRY_NAME } } };
}
