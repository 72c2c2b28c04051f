/** A link to a stdio server that adds to answers what its sandbox denied (S15), and protected paths that changed (S24). */
import { messageOf } from "../../base/errors.ts";
import { isFile } from "../../system/paths.ts";
import type { Denial } from "../../base/command/denial.ts";
import type { ProtectedChange } from "../../base/command/protected_change.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import { protectedNote } from "../../service/result/protected_note.ts";
import { member, textsIn } from "../../wire/json_value.ts";
import type { StdioSpec } from "../../upstream/config/server_spec.ts";
import type { Link, LinkHooks, LinkRequest, OpenLink } from "../../upstream/link/link.ts";
import { type EntryFacts, entrySentence } from "./entry_advice.ts";

/** Denials for the paths that a server mentioned; `words`: the arguments of its call or start. */
export type Explain = (
  words: readonly string[],
  output: string,
  how: { readonly failed: boolean },
) => Promise<readonly Denial[]>;

export interface ExplainedLinkOptions extends EntryFacts {
  readonly spec: StdioSpec;
  readonly sandbox: { readonly explain: Explain; readonly changes: () => Promise<readonly ProtectedChange[]> };
  /** Whether it reaches other machines. */
  readonly isOnline: boolean;
}

/** Names of errors caused by denials: a result without them needs no check of the file system. */
const ERRORS =
  /ENOENT|no such file|\b(?:EACCES|EPERM|EROFS)\b|[Pp]ermission denied|[Rr]ead-?only|not permitted|Errno (?:1|13|30)\b/;
/** Messages of npx, uvx and name resolvers without a network. */
const OFFLINE = /ENOTCACHED|only-if-cached|EAI_AGAIN|ENOTFOUND|ENETUNREACH|name resolution|network|offline/i;
/** It ran into nothing, because it never ran. */
const NOT_STARTED = /^Cannot start /;
const LONGEST_TEXT = 16_384;

/** Opens the link; denials during a failed start are explained like later ones. */
export async function openExplained(open: OpenLink, hooks: LinkHooks, options: ExplainedLinkOptions): Promise<Link> {
  try {
    const link = await open(hooks);
    return {
      hello: link.hello,
      close: () => link.close(),
      request: async (request) => await explained(await link.request(request), request, { hooks, options }),
    };
  } catch (thrown) {
    const message = messageOf(thrown);
    const sentences = told(await startDenials(message, options), { hooks, options });
    throw new Error([message, ...sentences, ...offlineAdvice(message, options)].join("\n"), { cause: thrown });
  }
}

interface Explaining {
  readonly hooks: LinkHooks;
  readonly options: ExplainedLinkOptions;
}

async function explained(answer: Answer, { method, params }: LinkRequest, explaining: Explaining): Promise<Answer> {
  if (method !== "tools/call") return answer;
  const lines = [...await denied(answer, params, explaining), ...await changed(explaining)];
  if (lines.length === 0) return answer;
  if ("error" in answer) return { error: { ...answer.error, message: [answer.error.message, ...lines].join("\n") } };
  const content = Array.isArray(answer.result["content"]) ? answer.result["content"] : [];
  return { result: { ...answer.result, content: [...content, { type: "text", text: lines.join("\n") }] } };
}

/** A server runs for hours: what it makes would otherwise be noticed at its end only. */
async function changed({ hooks, options }: Explaining): Promise<readonly string[]> {
  try {
    const note = protectedNote({ protectedChanges: await options.sandbox.changes() });
    return note === "" ? [] : [note];
  } catch (thrown) {
    hooks.log.warn("Cannot look at protected paths after a call", { error: messageOf(thrown) });
    return [];
  }
}

async function denied(
  answer: Answer,
  params: LinkRequest["params"],
  explaining: Explaining,
): Promise<readonly string[]> {
  const output = textOf(answer);
  const failed = "error" in answer || answer.result["isError"] === true;
  if (!failed && !ERRORS.test(output)) return [];
  const found = await explaining.options.sandbox.explain(textsIn(params["arguments"]), output, { failed });
  // Servers refuse paths for other reasons too: only unreadable paths count without an error message.
  const denials = found.filter((denial) => ERRORS.test(output) || isUnreadable(denial));
  return told(denials, explaining).map((sentence) => `Sandbox: ${sentence}`);
}

function isUnreadable(denial: Denial): boolean {
  return "path" in denial && (denial.hidden === true || denial.flags.some((flag) => flag.startsWith("--read ")));
}

/** The path in the last lines of stderr, or else a path of the entry that is not readable. */
async function startDenials(message: string, { spec, sandbox }: ExplainedLinkOptions): Promise<readonly Denial[]> {
  const given = Object.values(spec.environment).map(({ text }) => text);
  const paths = [...spec.args.map(({ text }) => text), ...given].filter((word) => /(?:^|=)\//.test(word));
  const named = await sandbox.explain(paths, message, { failed: true });
  if (named.length > 0 || NOT_STARTED.test(message)) return named;
  const silent = await sandbox.explain(paths, "", { failed: true });
  return silent.filter((denial) => "path" in denial && !isFile(denial.path));
}

/** For a package that was never fetched. */
function offlineAdvice(message: string, { isOnline, server }: ExplainedLinkOptions): readonly string[] {
  if (isOnline || !OFFLINE.test(message)) return [];
  return [
    `Server "${server}" has no network. A person allows it with "network": "full" in the entry of "${server}"; ` +
    `after "ahma_mcp servers test ${server}" packages are there, and the entry can be narrowed again.`,
  ];
}

function told(denials: readonly Denial[], { hooks, options }: Explaining): readonly string[] {
  const sentences = denials.map((denial) => entrySentence(denial, options));
  const last = sentences.at(-1);
  if (last !== undefined) hooks.onDenied(last);
  return sentences;
}

function textOf(answer: Answer): string {
  if ("error" in answer) return answer.error.message.slice(-LONGEST_TEXT);
  const content = answer.result["content"];
  const texts = (Array.isArray(content) ? content : []).map((part: unknown) => member(part, "text"));
  return texts.filter((text) => typeof text === "string").join("\n").slice(-LONGEST_TEXT);
}
