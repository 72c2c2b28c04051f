/** `grants` (S36): what a person allowed is listed and taken back here, and waiting questions are answered. */
import { AuditLog } from "../../../app/runner/audit_log.ts";
import { GRANT_ANSWERS } from "../../../base/command/grant_answer.ts";
import { UsageError, UserError } from "../../../base/errors.ts";
import { type Logger, SILENT } from "../../../base/log.ts";
import { ANSWER_TEXTS, wishText } from "../../../consent/form.ts";
import type { KeptGrant } from "../../../consent/kept/kept_grant.ts";
import { KeptGrants } from "../../../consent/kept/kept_grants.ts";
import { closedStateDirectory } from "../../../system/replace/closed_state.ts";
import { askServer, type FoundServer } from "../../../control/client/running_servers.ts";
import type { ControlRequest } from "../../../control/protocol/messages.ts";
import { GRANT_ACTIONS } from "../../../settings/flags/actions.ts";
import { absolutePath, realPath } from "../../../system/paths.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print, printProblem } from "../../terminal/print.ts";
import { yourServers } from "../operations/your_servers.ts";
import {
  type AskedQuestion,
  type FoundGrant,
  grantLines,
  grantsAsJson,
  questionLines,
  questionsOf,
  sessionGrantsOf,
} from "./grant_lines.ts";

/** Exit code 1: no such grant. @throws {UsageError} for wrong words, {UserError} when it cannot be done */
export async function grants(context: CommandContext): Promise<number> {
  const [word = "list", ...rest] = context.operands;
  const action = GRANT_ACTIONS.find((one) => one === word);
  if (action === undefined) {
    throw new UsageError(`Cannot "${word}" grants: expected one of ${GRANT_ACTIONS.join(", ")}`);
  }
  if (action === "list") return await list(context, rest);
  if (action === "revoke") return await revoke(context, rest);
  return await answer(context, action, rest);
}

async function list({ environment, flags }: CommandContext, [more]: readonly string[]): Promise<number> {
  if (more !== undefined) throw new UsageError(`Cannot list "${more}" alone: grants list shows all of them`);
  const kept = openKept(environment)?.list() ?? [];
  using asking = await openAsking(environment);
  if (flags.has("json")) await print(grantsAsJson(kept, asking.granted, asking.questions));
  else await print(grantLines(kept, asking.granted, Date.now()) + questionLines(asking.questions, Date.now()));
  for (const problem of asking.problems) await printProblem(problem);
  return 0;
}

async function revoke(context: CommandContext, named: readonly string[]): Promise<number> {
  const { environment, flags } = context;
  const isAll = flags.has("all");
  if (isAll === (named[0] !== undefined)) {
    throw new UsageError("Name the grants to take back, or the directory of a project, or give --all");
  }
  const kept = openKept(environment);
  using asking = await openAsking(environment);
  let code = 0;
  for (const name of isAll ? [""] : named) {
    const isMeant = isAll ? () => true : meaningOf(name);
    const revoked = await kept?.revoke(({ id, project }) => isMeant(id, project.map(({ path }) => path))) ?? [];
    for (const { id, subject } of revoked) await print(`Taken back: ${id} ${wishText(subject)}\n`);
    await writeDown(context, revoked);
    const ofSessions = asking.granted.filter(({ id, found }) => isMeant(id, found.server.scopes));
    for (const grant of ofSessions) code = Math.max(code, await takeBack(grant, asking));
    if (revoked.length + ofSessions.length > 0) continue;
    if (isAll) await print("There is no grant\n");
    else await printProblem(`Cannot take back "${name}": there is no such grant. See ahma_mcp grants`);
    if (!isAll) code = 1;
  }
  return code;
}

/** In the audit log of the settings, if they name one: a server that runs has a line of its own. */
async function writeDown(
  { settings: { auditLog: file } }: CommandContext,
  revoked: readonly KeptGrant[],
): Promise<void> {
  if (file === undefined || revoked.length === 0) return;
  const log = await AuditLog.open({ file, directory: Deno.cwd(), open: [], log: SILENT });
  if (!log.ok) return await printProblem(log.problem);
  for (const { id, subject } of revoked) {
    const written = await log.value.consent({ event: "revoked", subject, grant: id });
    if (!written.ok) await printProblem(written.problem);
  }
  log.value[Symbol.dispose]();
}

/** The exit code. */
async function takeBack(grant: FoundGrant, asking: Asking): Promise<number> {
  const { id, text, found } = grant;
  const problem = await asking.tell(found, { request: "take_back", grant: id });
  if (problem === undefined) await print(`Taken back: ${id} ${text}\n`);
  else await printProblem(`Cannot take back "${id}": ${problem}`);
  return problem === undefined ? 0 : 1;
}

/** An id, or the directory of a project, which may be gone: whether a grant with that id and those scopes is meant. */
function meaningOf(name: string): (id: string, scopes: readonly string[]) => boolean {
  if (/^[gq]_\w+$/.test(name)) return (id) => id === name;
  const path = absolutePath(name, Deno.cwd());
  const directory = realPath(path) ?? path;
  return (_id, scopes) => scopes.includes(directory);
}

async function answer(
  { environment }: CommandContext,
  action: "allow" | "deny",
  [id, word, ...more]: readonly string[],
): Promise<number> {
  const given = action === "deny" ? "no" : GRANT_ANSWERS.find((one) => one === word && one !== "no");
  if (more[0] !== undefined || word !== undefined && (given === undefined || action === "deny")) {
    throw new UsageError(`Cannot use "${more[0] ?? word}": say ${action} ${USAGE[action]}`);
  }
  using asking = await openAsking(environment);
  const { questions, problems } = asking;
  const others = problems.map((problem) => `\n${problem}`).join("");
  const waiting = questionLines(questions, Date.now()) || "No question waits\n";
  if (id === undefined) throw new UsageError(`Cannot ${action}: name a question. ${waiting.trimEnd()}${others}`);
  const [question, second] = questions.filter((one) => one.id === id);
  const refuse = (why: string) => new UserError(`Cannot ${action} "${id}": ${why}${others}`);
  if (question === undefined) throw refuse(`it does not wait. ${waiting.trimEnd()}`);
  if (second !== undefined) throw refuse(`several servers ask a question of that name. ${waiting.trimEnd()}`);
  // Without a word it is the narrowest that is offered.
  const chosen = given ?? question.answers.find((one) => one !== "no") ?? "no";
  const problem = await asking.tell(question.found, { request: "answer", question: id, answer: chosen });
  if (problem !== undefined) throw refuse(problem);
  await print(`${chosen === "no" ? "Denied" : `Allowed (${ANSWER_TEXTS[chosen]})`}: ${question.text}\n`);
  return 0;
}

const USAGE = { allow: "ID [once|session|project]", deny: "ID" } as const;

interface Asking extends Disposable {
  /** Of all servers of the user. */
  readonly questions: readonly AskedQuestion[];
  /** What all servers of the user were allowed until they end. */
  readonly granted: readonly FoundGrant[];
  /** A sentence for each server that did not answer. */
  readonly problems: readonly string[];
  /** Why a server did not do it; undefined: it did. */
  tell(found: FoundServer, request: ControlRequest): Promise<string | undefined>;
}

async function openAsking(environment: CommandContext["environment"]): Promise<Asking> {
  const yours = await yourServers(environment);
  const { servers, problems, streams } = yours;
  return {
    questions: questionsOf(servers),
    granted: sessionGrantsOf(servers),
    problems,
    async tell({ entry }, request) {
      const event = streams && await askServer(streams, entry, request);
      if (event?.event === "answered") return undefined;
      return event?.event === "refused" ? event.problem : "its server has just ended";
    },
    [Symbol.dispose]: () => yours[Symbol.dispose](),
  };
}

/** Undefined: no variable says where grants would be. */
function openKept(environment: CommandContext["environment"]): KeptGrants | undefined {
  const directory = closedStateDirectory(environment, [], "grants");
  const log: Logger = { ...SILENT, warn: (message) => void printProblem(message) };
  return directory === undefined ? undefined : new KeptGrants({ directory, now: Date.now, log });
}
