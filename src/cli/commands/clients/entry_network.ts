/** Where commands may connect by the entry of a client (S44): to registries and git hosts, if this machine holds them to that. */
import { openSession } from "../../../app/open_sandbox.ts";
import { messageOf } from "../../../base/errors.ts";
import { SILENT } from "../../../base/log.ts";
import { shortNameList } from "../../../base/network/short_name_list.ts";
import { readNetwork } from "../../../settings/flags/network_value.ts";
import { closedBy } from "../../../settings/policy/held.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import type { Settings } from "../../../settings/settings.ts";

/** The list of a new entry. */
export const ENTRY_LIST = "packages,git-hosts";
/** The arguments of an entry that names it. */
export const ENTRY_NETWORK: readonly string[] = ["--network", ENTRY_LIST];

/** What an entry says, and why. */
export interface EntryNetwork {
  /** Arguments; empty: commands reach what the settings say. */
  readonly args: readonly string[];
  /** One line for a person: where commands may connect, and how that is changed. */
  readonly said: string;
}

/** Tries the list on this machine, unless the settings say something else; where it cannot be held, the entry has none. */
export async function entryNetwork(
  { settings, environment, settingsProblem }: Pick<CommandContext, "settings" | "environment" | "settingsProblem">,
): Promise<EntryNetwork> {
  const { enforce, confinement: { network, names } } = settings.sandbox;
  if (!enforce) return { args: [], said: "Commands reach every host: --no-sandbox does not restrict them." };
  if (network !== "full") {
    const value = network === "names" ? shortNameList(names) : network;
    return {
      args: [],
      said: `Commands reach what your settings say (--network ${value}); the entry names no other list.`,
    };
  }
  const problem = settingsProblem ?? closedBy(settings.policy, "network", ENTRY_LIST) ??
    await listProblem(settings, environment);
  return problem === undefined ? { args: ENTRY_NETWORK, said: LISTED } : {
    args: [],
    said: `The entry has no list of hosts, so that commands reach every one: ${problem}`,
  };
}

const LISTED =
  `Commands reach only package registries and git hosts (--network ${ENTRY_LIST} in the entry): add hosts ` +
  'there, or write "full" to open all and "none" to close all.';

/** Opens a sandbox with the list, as a server would before its first client; undefined: nothing is wrong. */
async function listProblem(
  settings: Settings,
  environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { sandbox } = settings;
  const listed = {
    ...settings,
    pool: false,
    auditLog: undefined,
    sandbox: { ...sandbox, confinement: { ...sandbox.confinement, ...readNetwork(ENTRY_LIST) } },
  };
  try {
    await using stack = new AsyncDisposableStack();
    await openSession({ settings: listed, environment, log: SILENT }, stack);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return messageOf(thrown);
  }
}
