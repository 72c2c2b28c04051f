/** The settings of secrets (S33). Pure. */
import { isForbiddenVariable } from "../sandbox/grants/environment.ts";
import { parseBinding, type SecretBinding } from "../secrets/binding.ts";
import type { FlagValues } from "./flags/flag_values.ts";
import type { SandboxChoice } from "../sandbox/policy/sandbox_settings.ts";

/** The secrets, and where their values come from. */
export interface SecretSettings {
  readonly bindings: readonly SecretBinding[];
  /** By name: the absolute path of its file. */
  readonly files: ReadonlyMap<string, string>;
  /** By name: the command that prints it. What is in neither is the server's variable. */
  readonly commands: ReadonlyMap<string, string>;
}

/** What the flags say; they were checked against the table. */
export function secretsFrom(values: FlagValues): SecretSettings {
  return {
    bindings: values.texts("secret").flatMap((text) => {
      const parsed = parseBinding(text);
      return parsed.ok ? [parsed.value] : [];
    }),
    files: assignments(values.texts("secret-file")),
    commands: assignments(values.texts("secret-command")),
  };
}

/** Why secrets cannot be used with these settings, a sentence; undefined: they can, or there are none. */
export function secretProblem(
  { secrets, sandbox }: {
    readonly secrets: SecretSettings;
    readonly sandbox: Pick<SandboxChoice, "enforce" | "environmentNames" | "confinement">;
  },
): string | undefined {
  const { bindings, files, commands } = secrets;
  const names = bindings.map(({ name }) => name);
  const stray = [...files.keys(), ...commands.keys()].find((name) => !names.includes(name));
  if (stray !== undefined) {
    return `Cannot use the value of secret "${stray}": no --secret ${stray}=HOST says where it goes`;
  }
  const [first] = names;
  if (first === undefined) return undefined;
  const twice = names.find((name) => files.has(name) && commands.has(name));
  if (twice !== undefined) return `Cannot take secret "${twice}" from a file and from a command: choose one`;
  const relative = [...files].find(([, path]) => !path.startsWith("/"));
  if (relative !== undefined) return `Cannot use "${relative[1]}" as the file of a secret: write an absolute path`;
  const forbidden = names.find(isForbiddenVariable);
  if (forbidden !== undefined) return `Cannot use "${forbidden}" as a secret: it changes the behaviour of programs`;
  const rivals = gitRivals(bindings);
  if (rivals !== undefined) return rivals;
  const shown = names.find((name) => sandbox.environmentNames.includes(name));
  if (shown !== undefined) return `Cannot keep secret "${shown}": --env hands it to commands. Leave one of both out`;
  const { network } = sandbox.confinement;
  if (sandbox.enforce && network === "names") return undefined;
  const why = sandbox.enforce ? `with --network ${network}` : "without the sandbox";
  return `Cannot keep secret "${first}" ${why}: requests must pass this server. ` +
    "Write --network and the hosts that commands need, such as packages,git-hosts";
}

/** Git sends one secret to a host; with two, the order of flags would decide. */
function gitRivals(bindings: readonly SecretBinding[]): string | undefined {
  const taken = new Map<string, string>();
  for (const { name, hosts, use } of bindings) {
    if (use.kind !== "git") continue;
    for (const { name: host, port } of hosts) {
      const earlier = taken.get(`${host}:${port}`);
      if (earlier !== undefined && earlier !== name) {
        return `Cannot use secret "${name}" for git at ${host}: git sends secret "${earlier}" there. Leave one of both out`;
      }
      taken.set(`${host}:${port}`, name);
    }
  }
  return undefined;
}

function assignments(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(texts.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)]));
}
