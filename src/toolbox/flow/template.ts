/** Templates of actions (K7), parsed before values come in: a value never becomes part of an action. Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { member } from "../../wire/json_value.ts";
import type { Slot, Template, TemplateMap } from "./flow.ts";

export type Variables = Readonly<Record<string, unknown>>;

/** The lengths are bounded, because a text may contain many starts without an end. */
const SLOT = /\{\{([^{}]*)\}\}|\$\{([^}]{0,200})\}/g;
const PATH = /^[A-Za-z_][\w-]*(\.[A-Za-z_0-9][\w-]*)*$/;
const TAG = /\{%/;

/** Parses a template; the problem names a slot that is not a plain variable. */
export function parseTemplate(text: string): Outcome<Template> {
  if (TAG.test(text)) return failure('Tags of Liquid, as "{% if %}", work in prompts only; use a choice state');
  const parts: (string | Slot)[] = [];
  let at = 0;
  for (const found of text.matchAll(SLOT)) {
    const path = (found[1]?.replace(/^-/, "").replace(/-$/, "") ?? found[2] ?? "").trim();
    // In a shell line, forms such as `${name:-x}` belong to the shell.
    if (found[2] !== undefined && !PATH.test(path)) continue;
    if (!PATH.test(path)) {
      return failure(`"${found[0]}" is not a variable: an action takes "{{ name }}" or "{{ name.member }}"`);
    }
    parts.push(text.slice(at, found.index), { path: path.split(".") });
    at = found.index + found[0].length;
  }
  parts.push(text.slice(at));
  return success(parts.filter((part) => part !== ""));
}

/** The text with its values; an unset variable is empty. */
export function renderTemplate(template: Template, variables: Variables): string {
  return template.map((part) => typeof part === "string" ? part : textOf(valueAt(variables, part))).join("");
}

/** Renders each template of a map. */
export function renderAll(templates: TemplateMap, variables: Variables): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(templates).map(([name, text]) => [name, renderTemplate(text, variables)]));
}

/** A shell line whose values are environment variables, and these variables. */
export interface ShellText {
  readonly line: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The line with a variable for each value, quoted as its context requires. */
export function shellText(template: Template, variables: Variables): ShellText {
  const environment: Record<string, string> = {};
  let line = "";
  let quote: Quote = "none";
  for (const part of template) {
    if (typeof part === "string") {
      quote = quoteAfter(part, quote);
      line += part;
      continue;
    }
    const name = `AHMA_VALUE_${Object.keys(environment).length + 1}`;
    environment[name] = textOf(valueAt(variables, part)).replaceAll("\0", "");
    line += PLACES[quote](`\${${name}}`);
  }
  return { line, environment };
}

type Quote = "none" | "single" | "double";

const PLACES: Readonly<Record<Quote, (variable: string) => string>> = {
  none: (variable) => `"${variable}"`,
  double: (variable) => variable,
  single: (variable) => `'"${variable}"'`,
};

/** The kind of quotes that is open after `text`. */
function quoteAfter(text: string, before: Quote): Quote {
  let quote = before;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\\" && quote !== "single") at++;
    else if (character === "'" && quote !== "double") quote = quote === "single" ? "none" : "single";
    else if (character === '"' && quote !== "single") quote = quote === "double" ? "none" : "double";
  }
  return quote;
}

function valueAt(variables: Variables, { path }: Slot): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, name) ? member(value, name) : undefined,
    variables,
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
