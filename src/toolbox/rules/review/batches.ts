/** Batches of files for review, with the rendered instructions of their rules (K8). */
import { describeDiagnostic } from "../../../base/diagnostic.ts";
import { failure, type Outcome, success } from "../../../base/outcome.ts";
import type { PromptSet } from "../../../prompt/format/prompt.ts";
import { loadLiquid } from "../../../prompt/render/liquid.ts";
import { TemplateEngine } from "../../../prompt/render/template_engine.ts";
import type { Rule } from "../format/rule.ts";
import { endingOf } from "../../outline/languages/languages.ts";

/** A question without a verdict. */
export interface Waiting {
  readonly id: string;
  readonly rule: Rule;
  readonly path: string;
  readonly content: string;
}

/** Maximum length of a batch, characters. */
export const MOST_BATCH = 64 * 1024;

/** The text for the reviewer and the number of its questions. One too long for any batch is a problem. */
export interface Batch {
  readonly text: string;
  readonly count: number;
  readonly problems: readonly string[];
}

/** What the batch already contains. */
interface Told {
  /** Rules whose instruction is already in the batch. */
  readonly rules: Set<Rule>;
  /** The file whose content was shown last. */
  path: string | undefined;
}

/** Renders questions, grouped by file, until a batch is full. */
export async function nextBatch(
  waiting: readonly Waiting[],
  templates: (rule: Rule) => PromptSet,
  most = MOST_BATCH,
): Promise<Batch> {
  const parts: string[] = [];
  const problems: string[] = [];
  let length = 0;
  let count = 0;
  const told: Told = { rules: new Set(), path: undefined };
  const failed = new Set<Rule>();
  const renderers = new Map<Rule, Renderer>();
  for (const one of waiting) {
    if (failed.has(one.rule)) continue;
    const renderer = renderers.get(one.rule) ?? await rendererOf(templates(one.rule));
    renderers.set(one.rule, renderer);
    const rendered = await render(one, renderer);
    if (!rendered.ok) {
      failed.add(one.rule);
      problems.push(`review rule ${one.rule.name}: ${rendered.problem}`);
      continue;
    }
    const part = partOf(one, rendered.value, told);
    if (part.length > most) {
      problems.push(`review rule ${one.rule.name}, ${one.path}: ${part.length} characters, at most ${most} are asked`);
      continue;
    }
    if (length + part.length > most) break;
    parts.push(part);
    length += part.length + 1;
    told.rules.add(one.rule);
    if (!rendered.value.holdsContent) told.path = one.path;
    count++;
  }
  return { text: parts.join("\n"), count, problems };
}

interface Rendered {
  readonly text: string;
  /** Whether the instruction contains the content of the file. */
  readonly holdsContent: boolean;
  /** Whether it is the same for all files. */
  readonly isCommon: boolean;
}

interface Renderer {
  readonly engine: TemplateEngine;
  readonly prompts: PromptSet;
  /** The source of its template with all partials. */
  readonly source: string;
}

async function rendererOf(prompts: PromptSet): Promise<Renderer> {
  const source = [...prompts.values()].map(({ body }) => body).join("\n");
  return { engine: new TemplateEngine(await loadLiquid(), prompts), prompts, source };
}

async function render(
  { rule, path, content }: Waiting,
  { engine, prompts, source }: Renderer,
): Promise<Outcome<Rendered>> {
  const prompt = prompts.get(rule.name);
  if (prompt === undefined) return failure("it is gone");
  const values = { target_path: path, target_content: content, language: endingOf(path) || "text" };
  const messages = await engine.render(prompt, values);
  if (!messages.ok) return failure(describeDiagnostic(messages.problem));
  return success({
    text: messages.value.map((message) => message.text).join("\n\n"),
    holdsContent: source.includes("target_content"),
    isCommon: !/\b(?:target_content|target_path|language)\b/.test(source),
  });
}

function partOf({ id, rule, path, content }: Waiting, { text, holdsContent, isCommon }: Rendered, told: Told): string {
  return [
    ...holdsContent || told.path === path ? [] : [`=== ${path}`, content],
    `--- review_id ${id} (${rule.severity})`,
    isCommon && told.rules.has(rule) ? `As above for ${rule.name}.` : text,
  ].join("\n");
}
