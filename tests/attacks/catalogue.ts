/** Every row, by what decides it; the races come last. */
import type { Row } from "./frame/attack.ts";
import { ARGUMENTS } from "./our_server/arguments.ts";
import { BETWEEN_COMMANDS } from "./commands/between_commands.ts";
import { CONFIGURATION } from "./our_server/configuration.ts";
import { GPUS } from "./sandbox/gpus.ts";
import { ENVIRONMENT } from "./our_server/environment.ts";
import { MEMORY } from "./commands/memory.ts";
import { KEPT_PROOF } from "./sandbox/kept_proof.ts";
import { LINKS } from "./files/links.ts";
import { MADE_REPOSITORIES } from "./protected/made_repositories.ts";
import { MORE_OF_OUR_OWN } from "./sandbox/more_of_our_own.ts";
import { NAMESPACES } from "./sandbox/namespaces.ts";
import { NATIVE_FLOWS } from "./native_tools/flows.ts";
import { NATIVE_NOTES } from "./native_tools/notes.ts";
import { NATIVE_READS } from "./native_tools/reads.ts";
import { NATIVE_RULES } from "./native_tools/rules.ts";
import { NATIVE_WEB } from "./native_tools/web.ts";
import { NATIVE_WRITES } from "./native_tools/writes.ts";
import { NETWORK } from "./commands/network.ts";
import { GIT_SETTINGS } from "./protected/git_settings.ts";
import { OBEYED_BY_GIT } from "./protected/obeyed_by_git.ts";
import { OPERATIONS } from "./commands/operations.ts";
import { OUTPUT } from "./our_server/output.ts";
import { OWN } from "./sandbox/own.ts";
import { PROC } from "./sandbox/proc.ts";
import { PROMPTS } from "./our_server/prompts.ts";
import { UNDO_RACES } from "./races/undo.ts";
import { NATIVE_RACES } from "./races/native_writes.ts";
import { RACES as LAUNCH_RACES } from "./races/rows.ts";
import { READ_OUTSIDE } from "./files/read_outside.ts";
import { OTHER_NAMES } from "./protected/second_names.ts";
import { HTTP_SERVERS } from "./servers/http.ts";
import { RAW_SERVERS } from "./servers/raw.ts";
import { LYING_SERVERS } from "./servers/stdio_lies.ts";
import { STDIO_SERVERS } from "./servers/stdio_policy.ts";
import { CONVERSATIONS } from "./commands/conversations.ts";
import { INPUT } from "./commands/input.ts";
import { NETWORK_NAMES } from "./names/questions.ts";
import { NETWORK_NARROWED } from "./names/narrowed.ts";
import { NETWORK_DISGUISES } from "./names/disguises.ts";
import { NETWORK_WAYS_OUT } from "./names/ways_out.ts";
import { NETWORK_ESCAPES } from "./names/escapes.ts";
import { NETWORK_PROTOCOLS } from "./names/protocols.ts";
import { SSH_AGENT } from "./names/ssh_agent.ts";
import { CONSENT } from "./commands/consent.ts";
import { PEOPLE } from "./commands/people.ts";
import { PREVIEWS } from "./commands/previews.ts";
import { PUBLICATION } from "./commands/publication.ts";
import { SECRETS } from "./commands/secrets.ts";
import { SHELL_SESSIONS } from "./commands/shell_sessions.ts";
import { SIGNALS } from "./commands/signals.ts";
import { START_UP_FILES } from "./protected/start_up_files.ts";
import { UNDO_PROJECTS } from "./undo/projects.ts";
import { UNDO_STORE } from "./undo/store.ts";
import { WRITE_OUTSIDE } from "./files/write_outside.ts";

/** About files and links: root's rights meet other layers than a user's. */
export const FILES_DECIDE: readonly Row[] = [...WRITE_OUTSIDE, ...LINKS];

/** About these, reads, other processes and namespaces. */
export const RIGHTS_DECIDE: readonly Row[] = [
  ...FILES_DECIDE,
  ...READ_OUTSIDE,
  ...PROC,
  ...NAMESPACES,
  ...BETWEEN_COMMANDS,
];

/** About the hosts of a list, the secrets and logins that they get, and published ports: the relay decides. */
export const RELAY_DECIDES: readonly Row[] = [
  ...NETWORK_NAMES,
  ...NETWORK_PROTOCOLS,
  ...NETWORK_DISGUISES,
  ...NETWORK_ESCAPES,
  ...NETWORK_WAYS_OUT,
  ...NETWORK_NARROWED,
  ...SECRETS,
  ...SSH_AGENT,
  ...PUBLICATION,
];

/** About sockets, what a command uses up or leaves running, and sequences: limits and filters that bind all alike. */
export const LIMITS_DECIDE: readonly Row[] = [
  ...SIGNALS,
  ...MEMORY,
  ...NETWORK,
  ...OPERATIONS,
  ...SHELL_SESSIONS,
  ...INPUT,
  ...CONVERSATIONS,
  ...PEOPLE,
  ...CONSENT,
];

/** About what the server reads, is asked, hands on and hands out: it decides for every user alike. */
export const SERVER_DECIDES: readonly Row[] = [...CONFIGURATION, ...ARGUMENTS, ...ENVIRONMENT, ...OUTPUT, ...PROMPTS];

/** About what is peculiar to this program. They take as long as the rest, so their tests are files of their own. */
export const OUR_OWN: readonly Row[] = [
  ...OWN,
  ...MORE_OF_OUR_OWN,
  ...KEPT_PROOF,
  ...GPUS,
  ...OTHER_NAMES,
  ...GIT_SETTINGS,
  ...MADE_REPOSITORIES,
  ...PREVIEWS,
  ...OBEYED_BY_GIT,
  ...START_UP_FILES,
  ...NATIVE_READS,
  ...NATIVE_NOTES,
  ...NATIVE_RULES,
  ...NATIVE_WRITES,
  ...NATIVE_FLOWS,
  ...NATIVE_WEB,
  ...UNDO_STORE,
  ...UNDO_PROJECTS,
];

/** Other servers behind the program that mean harm. */
export const HOSTILE_SERVERS: readonly Row[] = [...STDIO_SERVERS, ...LYING_SERVERS, ...HTTP_SERVERS, ...RAW_SERVERS];

/** Commands that move things while others are launched, or native tools write. */
export const RACES: readonly Row[] = [...LAUNCH_RACES, ...NATIVE_RACES, ...UNDO_RACES];

export const CATALOGUE: readonly Row[] = [
  ...RIGHTS_DECIDE,
  ...LIMITS_DECIDE,
  ...RELAY_DECIDES,
  ...SERVER_DECIDES,
  ...OUR_OWN,
  ...HOSTILE_SERVERS,
  ...RACES,
];

/** The rows named by patterns such as `W01` and `R*`; none given: all. @throws Error for a pattern that names no row. */
export function chosenRows(patterns: readonly string[]): readonly Row[] {
  if (patterns.length === 0) return CATALOGUE;
  const tests = patterns.map((pattern) => new RegExp(`^${RegExp.escape(pattern).replaceAll("\\*", ".*")}$`, "i"));
  const idle = patterns.filter((_, index) => !CATALOGUE.some(({ id }) => tests[index]?.test(id)));
  if (idle.length > 0) throw new Error(`No row is called "${idle.join(", ")}"`);
  return CATALOGUE.filter(({ id }) => tests.some((test) => test.test(id)));
}
