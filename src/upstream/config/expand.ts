/** Variables in the texts of a configuration file (O1). One pass: values are never expanded again. Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shownValue } from "../../base/text.ts";
import type { Expanded } from "./server_spec.ts";

/** A value that the editor with this dialect would ask a person for. */
export interface InputFacts {
  /** Undefined: there is none. */
  readonly fallback: string | undefined;
}

/** Where values come from. */
export interface VariableSources {
  readonly environment: Readonly<Record<string, string>>;
  /** The first scope. */
  readonly scope: string;
  /** Undefined: unknown. */
  readonly home: string | undefined;
  /** The file's `inputs`, by id. */
  readonly inputs: ReadonlyMap<string, InputFacts>;
}

const REFERENCE = /\$\{([^{}]*)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The text with the values of its variables; the problem names the variable without a value. */
export function expand(text: string, sources: VariableSources): Outcome<Expanded> {
  const problems: string[] = [];
  const whole = { text: "", shown: "" };
  let last = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const before = text.slice(last, match.index);
    const value = valueOf(match[1] ?? "", sources);
    if (!value.ok) problems.push(value.problem);
    else {
      whole.text += before + value.value.text;
      whole.shown += before + value.value.shown;
    }
    last = match.index + match[0].length;
  }
  const [problem] = problems;
  if (problem !== undefined) return failure(problem);
  return success({ text: whole.text + text.slice(last), shown: whole.shown + text.slice(last) });
}

/** A value of `env`, where one client also takes the name alone, as `$NAME`. */
export function expandVariableValue(text: string, sources: VariableSources): Outcome<Expanded> {
  const name = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(text)?.[1];
  return name === undefined ? expand(text, sources) : fromEnvironment(name, undefined, sources);
}

/** The variable that supplies the value of an input of the file. */
export function inputVariable(id: string): string {
  return `AHMA_INPUT_${id.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}

function valueOf(reference: string, sources: VariableSources): Outcome<Expanded> {
  switch (reference) {
    case "workspaceFolder":
      return plain(sources.scope);
    case "workspaceFolderBasename":
      return plain(sources.scope.slice(sources.scope.lastIndexOf("/") + 1));
    case "userHome":
      return sources.home === undefined ? failure("Variable HOME is not set, which ${userHome} stands for") : plain(
        sources.home,
      );
    case "pathSeparator":
    case "/":
      return plain("/");
  }
  if (reference.startsWith("input:")) return fromInput(reference.slice("input:".length), sources);
  const named = reference.startsWith("env:") ? reference.slice("env:".length) : reference;
  const [, name = named, fallback] = /^(.*?):-(.*)$/s.exec(named) ?? [];
  if (NAME.test(name)) return fromEnvironment(name, fallback, sources);
  return failure(
    `Cannot use variable ${shownValue(`\${${reference}}`)}: expected \${NAME}, \${NAME:-default}, \${env:NAME}, ` +
      "${input:ID}, ${workspaceFolder} or ${userHome}",
  );
}

function plain(text: string): Outcome<Expanded> {
  return success({ text, shown: text });
}

function fromEnvironment(
  name: string,
  fallback: string | undefined,
  { environment }: VariableSources,
): Outcome<Expanded> {
  const value = environment[name];
  const usable = fallback !== undefined && value === "" ? undefined : value;
  if (usable !== undefined) return success({ text: usable, shown: `\${${name}}` });
  if (fallback !== undefined) return plain(fallback);
  return failure(`Variable ${name} is not set: set it where ahma_mcp starts, or write \${${name}:-default}`);
}

function fromInput(id: string, { environment, inputs }: VariableSources): Outcome<Expanded> {
  const variable = inputVariable(id);
  const value = environment[variable] ?? inputs.get(id)?.fallback;
  if (value !== undefined) return success({ text: value, shown: `\${input:${id}}` });
  return failure(`Input "${id}" has no value: set variable ${variable}`);
}
