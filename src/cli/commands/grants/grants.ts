/** `grants` (S36): what a person allowed for good is listed and taken back here, and waiting questions are answered. */
import { GRANT_ANSWERS, type GrantAnswer } from "../../../base/command/grant_answer.ts";
import { UsageError, UserError } from "../../../base/errors.ts";
import { type Logger, SILENT } from "../../../base/log.ts";
import { ANSWER_TEXTS, wishText } from "../../../consent/form.ts";
import type { KeptGrant } from "../../../consent/kept/kept_grant.ts";
import { KeptGrants } from "../../../consent/kept/kept_grants.ts";
import { keptGrantsDirectory } from "../../../consent/kept/kept_place.ts";
import { askServer, findServers } from "../../../control/client/running_servers.ts";
import { GRANT_ACTIONS } from "../../../settings/flags/actions.ts";
import { UnixStreams } from "../../../system/sockets/unix_stream.ts";
import { absolutePath, realPath } from "../../../system/paths.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print, printProblem } from "../../terminal/print.ts";
import { type AskedQuestion, grantLines, grantsAsJson, questionLines, questionsOf } from "./grant_lines.ts";

/**
 * Resolves with the exit code; 1: there is no such grant.
 * @throws {UsageError} When the words are wrong, {UserError} when a question cannot be answered or the file not used.
 */
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
  if (flags.has("json")) await print(grantsAsJson(kept, asking.questions));
  else await print(grantLines(kept, Date.now()) + questionLines(asking.questions, Date.now()));
  for (const problem of asking.problems) await printProblem(problem);
  return 0;
}

async function revoke({ environment, flags }: CommandContext, named: readonly string[]): Promise<number> {
  const isAll = flags.has("all");
  if (isAll === (named[0] !== undefined)) {
    throw new UsageError("Name the grants to take back, or the directory of a project, or say --all");
  }
  const kept = openKept(environment);
  let code = 0;
  for (const name of isAll ? [""] : named) {
    const isMeant = isAll ? () => true : meaningOf(name);
    const revoked = await kept?.revoke(isMeant) ?? [];
    for (const { id, subject } of revoked) await print(`Taken back: ${id} ${wishText(subject)}\n`);
    if (revoked.length > 0) continue;
    if (isAll) await print("There is no grant\n");
    else await printProblem(`Cannot take back "${name}": there is no such grant. See ahma_mcp grants`);
    if (!isAll) code = 1;
  }
  return code;
}

/** An id, or the directory of a project, which may be gone. */
function meaningOf(name: string): (grant: KeptGrant) => boolean {
  if (/^g_\w+$/.test(name)) return ({ id }) => id === name;
  const path = absolutePath(name, Deno.cwd());
  const directory = realPath(path) ?? path;
  return ({ project }) => project.some((scope) => scope.path === directory);
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
  const problem = await asking.answer(question, chosen);
  if (problem !== undefined) throw refuse(problem);
  await print(`${chosen === "no" ? "Denied" : `Allowed (${ANSWER_TEXTS[chosen]})`}: ${question.text}\n`);
  return 0;
}

const USAGE = { allow: "ID [once|session|project]", deny: "ID" } as const;

interface Asking extends Disposable {
  /** Of all servers of the user. */
  readonly questions: readonly AskedQuestion[];
  /** A sentence for each server that did not answer. */
  readonly problems: readonly string[];
  /** Why it is not answered; undefined: it is. */
  answer(question: AskedQuestion, answer: GrantAnswer): Promise<string | undefined>;
}

/** Servers have sockets on Linux only. */
async function openAsking(environment: CommandContext["environment"]): Promise<Asking> {
  const streams = Deno.build.os === "linux" ? new UnixStreams() : undefined;
  const found = streams === undefined ? undefined : await findServers(streams, environment);
  return {
    questions: questionsOf(found?.servers ?? []),
    problems: found?.problems ?? [],
    async answer({ id, found }, answer) {
      const event = streams && await askServer(streams, found.entry, { request: "answer", question: id, answer });
      if (event?.event === "answered") return undefined;
      return event?.event === "refused" ? event.problem : "its server has ended just now";
    },
    [Symbol.dispose]: () => streams?.[Symbol.dispose](),
  };
}

/** Undefined: no variable says where grants would be. */
function openKept(environment: CommandContext["environment"]): KeptGrants | undefined {
  const directory = keptGrantsDirectory(environment, []);
  const log: Logger = { ...SILENT, warn: (message) => void printProblem(message) };
  return directory === undefined ? undefined : new KeptGrants({ directory, now: Date.now, log });
}
