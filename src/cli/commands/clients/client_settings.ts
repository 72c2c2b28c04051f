/** Settings of each MCP client that start this program for a project. Pure. */
import type { RunningProgram } from "../../../app/program/own_program.ts";
import { type ClientFile, CLIENTS, ENTRY_NAME } from "./client_facts.ts";
import type { Table } from "./entry_place.ts";
import { type EntryIn, withEntry } from "./settings_change.ts";
import { homeOf } from "../../../system/user_directories.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { SettingsFile } from "./settings_file.ts";
import { CLIENT_NAMES, type ClientName } from "../../../settings/flags/actions.ts";

/** One client's settings. */
export interface ClientSettings {
  readonly client: ClientName;
  /** Name of the client, as its makers write it. */
  readonly title: string;
  /** File of the settings, relative to the project or `~/...`; undefined: users write code. */
  readonly file: string | undefined;
  /** The settings file with our entry alone, or the code. */
  readonly text: string;
}

/** Bundles with few enough tools for any client; those of the project's `.ahma/tools` come in addition. */
const TOOLS: readonly string[] = ["--bundles", "git"];

/** Variable that clients replace with the open directory. */
const OPEN_FOLDER = "${workspaceFolder}";

/** Settings for every client. `project`: the scope's absolute path. `network`: arguments of `entryNetwork`. */
export async function clientSettings(
  program: RunningProgram,
  project: string,
  network: readonly string[],
): Promise<readonly ClientSettings[]> {
  return await Promise.all(CLIENT_NAMES.map(async (client) => {
    const { title, settings } = CLIENTS[client];
    const value = clientValue(client, { program, project, network });
    const file = settings === undefined ? undefined : fileOf(settings);
    if (settings === undefined || typeof value === "string") return { client, title, file, text: String(value) };
    const entry = { file: settings.file, place: settings.place, name: ENTRY_NAME };
    return { client, title, file, text: await withEntry(undefined, entry, value) };
  }));
}

/** What an entry starts. */
export interface EntryParts {
  readonly program: RunningProgram;
  readonly project: string;
  /** Arguments of `entryNetwork`. */
  readonly network: readonly string[];
}

/** The entry of one client, or the code that its users write. */
export function clientValue(client: ClientName, { program, project, network }: EntryParts): Table | string {
  const { scope, flags, value = (entry) => ({ ...entry }) } = CLIENTS[client];
  const named = scope === undefined ? [] : ["--sandbox-scope", scope === "project" ? project : OPEN_FOLDER];
  const { command, args, environment } = program;
  return value({
    command,
    args: [...args, ...named, ...TOOLS, ...network, ...flags ?? []],
    ...Object.keys(environment).length === 0 ? {} : { env: environment },
  });
}

/** The file on this system. */
export function fileOf({ file, onMac }: ClientFile): string {
  return Deno.build.os === "darwin" ? onMac ?? file : file;
}

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
