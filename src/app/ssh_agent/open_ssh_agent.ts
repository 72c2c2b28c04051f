/** The ssh agent of a session's commands (S42): its keys are chosen at the start, its socket lies in the session's directory. */
import { UserError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome, success, unwrapOrUserError } from "../../base/outcome.ts";
import type { Consent } from "../../consent/consent.ts";
import type { SessionRunner } from "../../process/command_runner.ts";
import type { SandboxAgent } from "../../sandbox/policy/sandbox_settings.ts";
import { agentSocket } from "../../sandbox/directories/agent_files.ts";
import type { SessionSandbox } from "../../sandbox/settle_paths.ts";
import type { Settings } from "../../settings/settings.ts";
import { chooseKeys } from "../../ssh_agent/chosen_keys.ts";
import { AgentBroker } from "../../ssh_agent/socket/broker.ts";
import { askAgent } from "../../ssh_agent/socket/own_agent.ts";
import { LIST_REQUEST, readIdentities } from "../../ssh_agent/wire/messages.ts";
import { publicKeyText } from "../../ssh_agent/wire/public_key.ts";
import { homeOf } from "../../system/user_directories.ts";
import type { AuditLog } from "../runner/audit_log.ts";
import { SigningRunner } from "./signing_runner.ts";
import { type IsOpen, readKnownHosts } from "./known_host_files.ts";

/** What opens a sandbox with an agent. */
export interface SessionAgent {
  readonly shown: SandboxAgent;
  /** Begins to listen; commands of the runner that it gives may sign. Disposal of `stack` ends it. */
  serve(runner: SessionRunner, with_: Serving, stack: AsyncDisposableStack): SessionRunner;
}

interface Serving {
  readonly sandbox: Pick<SessionSandbox, "directories" | "scopes">;
  readonly audit: AuditLog | undefined;
  readonly consent: Consent | undefined;
}

const LONGEST_KEY_FILE = 64 * 1024;
const VARIABLE = "SSH_AUTH_SOCK";

/** @throws {UserError} When the user's own agent is not there, or does not have a chosen key. */
export async function openSshAgent(
  { settings: { sshAgent: { keys, hosts }, sandbox: { confinement }, policy }, environment, isOpen, log }: {
    readonly settings: Pick<Settings, "sshAgent" | "sandbox" | "policy">;
    readonly isOpen: IsOpen;
    readonly environment: Readonly<Record<string, string>>;
    readonly log: Logger;
  },
): Promise<SessionAgent> {
  const refuse = (why: string) => new UserError(`Cannot use --ssh-agent: ${why}`);
  if (Deno.build.os !== "linux") throw refuse("on macOS commands reach no Unix sockets. Leave it out");
  const own = environment[VARIABLE];
  if (own === undefined || own === "") {
    throw refuse(
      `variable "${VARIABLE}" is not set for this server. Start ssh-agent, run ssh-add, and pass the variable on`,
    );
  }
  const ask = (message: Uint8Array) => askAgent(own, message);
  const answer = await ask(LIST_REQUEST);
  const identities = answer && readIdentities(answer);
  if (identities === undefined) {
    throw refuse(`no ssh agent answers at "${own}" (${VARIABLE}). Start ssh-agent and run ssh-add`);
  }
  const chosen = unwrapOrUserError(await chooseKeys(keys, identities, (path) => readKey(path, isOpen)));
  const places = { home: homeOf(environment), isOpen, log };
  const known = await (await readKnownHosts(places)).linesFor(hosts);
  const names = confinement.names.flatMap(({ name: host, kind, port }) => kind === "below" ? [] : [{ host, port }]);
  const [first] = chosen;
  return {
    shown: {
      knownHosts: known.map((line) => `${line}\n`).join(""),
      ...first !== undefined && { signingKey: publicKeyText(first.key) },
    },
    serve(runner, { sandbox: { directories, scopes }, audit, consent }, stack) {
      const scope = scopes.map(({ path }) => path);
      const knownHosts = () => readKnownHosts(places);
      const signing = new SigningRunner(runner, { hosts, knownHosts, scope, audit, consent, names, policy });
      const path = agentSocket(directories.files);
      const commandOf = (process: number) => signing.commandOf(process);
      stack.use(new AgentBroker(path, { identities: chosen, ask, commandOf, log }));
      return signing;
    },
  };
}

async function readKey(path: string, isOpen: IsOpen): Promise<Outcome<string>> {
  const refuse = (why: string) => failure(`Cannot use "${path}" as the key of --ssh-agent: ${why}`);
  if (isOpen(path)) return refuse("commands can change it there. Keep it outside the scope");
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile || size > LONGEST_KEY_FILE) return refuse("it is not a public key file");
    return success(await Deno.readTextFile(path));
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return refuse(thrown.message);
  }
}
