/** Parts of listed descriptions (T13). They describe: clients treat imperatives as prompt injection. */
import { visibleText } from "../../base/visible_text.ts";
import { builtinTraits } from "../../catalog/format/builtin_traits.ts";
import type { Leaf } from "../../catalog/model/leaf.ts";
import type { SandboxStatus, Service } from "../service.ts";

/** The parts of a service that the texts depend on. */
export type ListFacts = Pick<Service, "settings" | "scope">;

/** Directories of a scope that are named; further ones are counted. */
const MOST_ROOTS = 3;

/** A tool's name as the client sees it (`--tool-prefix`). */
export function listedName({ settings }: Pick<ListFacts, "settings">, name: string): string {
  return `${settings.toolPrefix ?? ""}${name}`;
}

/** `text` with the names of built-in tools between backticks as the client sees them. */
export function withListedNames({ settings }: Pick<ListFacts, "settings">, text: string): string {
  return text.replaceAll(
    /`(\w+)`/g,
    (quoted, name: string) => builtinTraits(name) === undefined ? quoted : `\`${listedName({ settings }, name)}\``,
  );
}

/** The tool that a client names, with or without the prefix. */
export function calledName({ settings }: Pick<ListFacts, "settings">, name: string): string {
  const prefix = settings.toolPrefix ?? "";
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** `/a, /b or /c`: the directories commands run in, for people and models. */
export function namedScope({ scope }: Pick<ListFacts, "scope">): string {
  const { roots } = scope;
  const shown = roots.slice(0, MOST_ROOTS).map(namedPath);
  if (roots.length > MOST_ROOTS) shown.push(`${roots.length - MOST_ROOTS} more directories`);
  return [shown.slice(0, -1).join(", "), ...shown.slice(-1)].filter((part) => part !== "").join(" or ");
}

/** `after 3 s the answer is ...`; undefined: the call waits for the end. `synchronous`: the tool file's word. */
export function earlyAnswer(
  { settings }: Pick<ListFacts, "settings">,
  synchronous?: boolean,
): string | undefined {
  if (settings.synchronous || synchronous === true) return undefined;
  const waits = synchronous === undefined && settings.inlineWaitMs > 0;
  const when = waits ? `after ${settings.inlineWaitMs / 1000} s ` : "";
  return `${when}the answer is an operation id for \`${listedName({ settings }, "await")}\``;
}

/** How results of one tool with several leaves arrive; empty: every call waits for the end. */
export function groupGuidance(leaves: readonly Leaf[], facts: ListFacts): string {
  const answers = new Set(leaves.map(({ synchronous }) => earlyAnswer(facts, synchronous)));
  const early = [...answers].filter((answer) => answer !== undefined);
  if (early.length === 0) return "";
  const waits = answers.has(undefined) ? "Some wait for the end; else " : "";
  return asSentence(`${waits}${early.join(", or ")}`);
}

/** The description of a leaf, with how its result arrives where that may be later. */
export function listedDescription({ description, synchronous }: Leaf, facts: ListFacts): string {
  const answer = earlyAnswer(facts, synchronous);
  if (answer === undefined) return description;
  const sentence = asSentence(answer);
  return description === "" ? sentence : `${description}\n\n${sentence}`;
}

/** The first sentence of a description, on one line and without characters that would move a cursor. */
export function firstSentence(description: string): string {
  const plain = description.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  return /^.*?[.!?](?=\s|$)/.exec(plain)?.[0] ?? plain;
}

function asSentence(answer: string): string {
  return `${answer.replace(/^./, (letter) => letter.toUpperCase())}; other work can continue.`;
}

/** Unchanged if that cannot be misread, otherwise quoted. */
function namedPath(path: string): string {
  return /^[\w./@+~-]+$/.test(path) ? path : JSON.stringify(visibleText(path));
}

/** The instructions of `initialize`: they describe, since imperative text counts as prompt injection (T13). */
export function instructionsOf(service: Service): string {
  const answer = earlyAnswer(service);
  const name = (tool: string) => `\`${listedName(service, tool)}\``;
  return [
    `Ahma runs command-line programs as tools. ${name("sandboxed_shell")} runs any shell command line.`,
    answer === undefined
      ? "Every tool call waits for its command and returns the result."
      : `A tool call returns the result; unless the tool or \`execution_mode\` says otherwise, ${answer}. ` +
        `${name("status")} shows progress, ${name("cancel")} ends an operation.`,
    `Commands run in ${namedScope(service)} or below.`,
    sandboxLine(service.settings.sandbox),
    ...service.instructions?.() ?? [],
  ].join("\n");
}

/** The state of the sandbox on one line; a warning when there is none (S14). */
export function sandboxLine(sandbox: SandboxStatus): string {
  return sandbox.enforced
    ? `Sandbox: ${sandbox.summary}`
    : `WARNING: NO SANDBOX, commands can reach everything this user can: ${sandbox.summary}`;
}
