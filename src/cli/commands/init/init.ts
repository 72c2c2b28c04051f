/** `init` writes a first tool file, its schema for editors, and a client's entry. It asks before changes. */
import { thisProgram } from "../../../app/program/own_program.ts";
import { type AskKind, isPathKind } from "../../../base/command/grant_subject.ts";
import { mtdfSchemaText } from "../../../catalog/format/mtdf.ts";
import { readNetwork } from "../../../settings/flags/network_value.ts";
import { askingRefused, closedBy } from "../../../settings/policy/held.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print } from "../../terminal/print.ts";
import { changeSettings } from "../clients/change_settings.ts";
import { type ChosenClient, chosenClients, clientValue } from "../clients/client_settings.ts";
import { ENTRY_LIST, type EntryNetwork, entryNetwork } from "../clients/entry_network.ts";
import { missingHosts } from "../doctor/project/network_needs.ts";
import { hostsNamedIn } from "../doctor/project/project_hosts.ts";
import { withEntry } from "../clients/settings_change.ts";
import { SettingsFile } from "../clients/settings_file.ts";
import { SHIPPED_SKILL, shippedSkill } from "../../../settings/shipped_texts.ts";
import { CLIENT_NAMES } from "../../../settings/flags/actions.ts";

/** Files of the project, and their texts. */
const FILES: readonly (readonly [file: string, text: () => string])[] = [
  [".ahma/schema/mtdf.schema.json", mtdfSchemaText],
  [".ahma/tools/hello.json", () => EXAMPLE_TOOL_TEXT],
];

/** For clients that read skills from folders of the project. */
const INSTALLED_SKILL = `.claude/skills/${SHIPPED_SKILL}/SKILL.md`;

const NEXT = `
Try it:       ahma_mcp call hello_greet world
Check it:     ahma_mcp validate
Then rename hello.json and describe a program of your own; your editor completes the fields.
`;

/** Resolves with the exit code: 1 when the person at the terminal said no. @throws {UserError} when a file cannot be written */
export async function init(context: CommandContext): Promise<number> {
  const chosen = chosenClients(context);
  const network = withQuestions(await entryNetwork(context), context);
  // The entries come first: where one is refused, nothing more is written.
  for (const client of chosen) {
    const code = await addEntry(client, network, context);
    if (code !== 0) return code;
  }
  if (context.flags.has("skills")) {
    const file = new SettingsFile(INSTALLED_SKILL, { project: Deno.cwd(), home: undefined });
    const code = await changeSettings(file, shippedSkill, context);
    if (code !== 0) return code;
  }
  const said: string[] = [];
  for (const [file, text] of FILES) said.push(await writeNew(file, text, context));
  await print(`${said.join("\n")}\n`);
  const more = chosen.length === 0
    ? `\nThe entry for your client: ahma_mcp init --client NAME, where NAME is\n${CLIENT_NAMES.join(", ")}\n`
    : "";
  await print(`${NEXT}\n${network.said}\n${network.args.includes("--network") ? moreHosts() : ""}${more}`);
  return 0;
}

/** The entry with the kinds of `--ask`, as far as it can ask for them; without it, how to get it. */
function withQuestions(network: EntryNetwork, { settings, flags }: CommandContext): EntryNetwork {
  const { asks, sandbox, sshAgent, policy } = settings;
  const canAskForHosts = network.args.length > 0 || sandbox.confinement.network === "names";
  const possible = { network: canAskForHosts, ssh: sshAgent.keys.length > 0 };
  const kinds = asks.filter((kind) => isPathKind(kind) || possible[kind]);
  if (!flags.has("ask") || kinds.length === 0) {
    const others = SUGGESTED.filter((kind) =>
      (closedBy(policy, "ask", kind) ?? askingRefused(policy, [kind])) === undefined
    );
    return asks.length > 0 || others.length === 0
      ? network
      : { ...network, said: `${network.said}\n${ASK} ${others.join(",")}` };
  }
  return { ...network, args: [...network.args, "--ask", kinds.join(",")] };
}

const ASK = "To be asked in your client about what commands are denied: ahma_mcp init --client NAME --ask";
const SUGGESTED = ["read", "network"] as const satisfies readonly AskKind[];

/** What the project's files name beyond the list of a new entry. Who wrote them is not known: a person adds it. */
function moreHosts(): string {
  const listed = readNetwork(ENTRY_LIST).names;
  const missing = missingHosts(listed, hostsNamedIn(Deno.cwd()), 300);
  return missing === undefined ? "" : `This project's files name more hosts: add ${missing} if you trust them.\n`;
}

async function addEntry(
  { client, title, settings }: ChosenClient,
  { args: network }: EntryNetwork,
  context: CommandContext,
): Promise<number> {
  const value = clientValue(client, { program: thisProgram(), project: Deno.cwd(), network });
  if (settings === undefined || typeof value === "string") {
    await print(`${title}, in your code:\n\n${value}\n`);
    return 0;
  }
  const { file, entry } = settings;
  return await changeSettings(file, (text) => withEntry(text, entry, value), context);
}

/** Writes a file of the project unless it is there; says what was done. */
async function writeNew(name: string, text: () => string, { flags }: CommandContext): Promise<string> {
  const file = new SettingsFile(name, { project: Deno.cwd(), home: undefined });
  if (await file.read() !== undefined) return `${name} exists and was left as it is`;
  if (flags.has("dry-run")) return `${name} would be written`;
  await file.write(undefined, text());
  return `${name} written`;
}

/** The first tool file of a project. JSON has no comments, so its descriptions say what each part is for. */
export const EXAMPLE_TOOL_TEXT = `{
  "$schema": "../schema/mtdf.schema.json",
  "name": "hello",
  "description": "An example to change: one file describes one program, and each subcommand becomes one tool.",
  "command": "echo",
  "synchronous": true,
  "timeout_seconds": 10,
  "install_instructions": "Shown if the program is missing. echo comes with every system.",
  "subcommand": [
    {
      "name": "greet",
      "description": "Greet a person. The agent sees this tool as hello_greet and chooses it by this text.",
      "argv": ["Hello,"],
      "options": [
        {
          "name": "-n",
          "type": "boolean",
          "description": "An option is a flag, here one without a value: the line ends without a line feed."
        }
      ],
      "positional_args": [
        {
          "name": "who",
          "type": "string",
          "required": true,
          "description": "A positional argument has no flag. It reaches the program as one word, whatever it holds."
        }
      ]
    }
  ]
}
`;
