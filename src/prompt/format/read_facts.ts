/** Title, description, arguments and the rest of front matter, checked (Q1, Q5). Pure. */
import { didYouMean } from "../../base/suggest.ts";
import { shownValue } from "../../base/text.ts";
import { hiddenCharacter } from "../../base/visible_text.ts";
import type { ReportFault } from "./faults.ts";
import type { FrontMatter } from "./front_matter.ts";
import type { ParameterType, PromptFacts, PromptParameter } from "./prompt.ts";

/** The known keys of front matter. Other programs may have further keys; only a likely typing error is reported. */
const KEYS: readonly string[] = [
  "title",
  "description",
  "category",
  "tags",
  "parameters",
  "arguments",
  "partial",
  "name",
];
const PARAMETER_KEYS: readonly string[] = ["name", "description", "required", "default", "type", "choices"];

/** The names of types in files. An unknown type counts as text. */
const TYPES: Readonly<Record<string, ParameterType>> = {
  boolean: "boolean",
  number: "number",
  integer: "number",
  choice: "choice",
  multi_choice: "choices",
  prompt: "prompt",
  path: "path",
  file: "path",
  issue: "issue",
  memo: "memo",
};
/** Names of types that mean text; some are used by other programs. */
const TEXT_TYPES: readonly string[] = ["string", "text"];

const MOST_PARAMETERS = 50;
const MOST_CHOICES = 200;
const LONGEST_TEXT = 2_000;
const PARAMETER_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

type Path = readonly (string | number)[];
type Values = Readonly<Record<string, unknown>>;

/** The facts of a prompt, and whether the file calls itself a partial. */
export interface ReadFacts {
  readonly facts: PromptFacts;
  readonly isPartial: boolean;
}

/** Reads checked front matter; a value of a wrong kind is reported and left out. */
export function readFacts(matter: FrontMatter, report: ReportFault): ReadFacts {
  const reader = new FactReader(matter, report);
  const { values } = matter;
  reader.mistyped(values, KEYS, []);
  const both = values["parameters"] !== undefined && values["arguments"] !== undefined;
  if (both) reader.refuse(["arguments"], '"arguments" is another word for "parameters": keep one of them');
  const key = values["parameters"] === undefined ? "arguments" : "parameters";
  const title = reader.text(values, "title", []);
  const description = reader.text(values, "description", []);
  const category = reader.text(values, "category", []);
  return {
    facts: {
      ...title !== undefined && { title },
      ...description !== undefined && { description },
      ...category !== undefined && { category },
      tags: reader.texts(values, "tags", []),
      parameters: reader.parameters(values[key], [key]),
    },
    isPartial: reader.flag(values, "partial", []),
  };
}

/** Reads the values of front matter; what is of a wrong kind is reported and left out. */
export class FactReader {
  readonly #matter: FrontMatter;
  readonly #report: ReportFault;

  constructor(matter: FrontMatter, report: ReportFault) {
    this.#matter = matter;
    this.#report = report;
  }

  refuse(path: Path, message: string): undefined {
    return this.#report("error", message, this.#matter.placeOf(path));
  }

  mistyped(values: Values, known: readonly string[], path: Path): void {
    for (const key of Object.keys(values).filter((one) => !known.includes(one))) {
      const guess = didYouMean(key, known);
      if (guess === "") continue;
      this.#report("warning", `Field "${key}" is unknown${guess}`, this.#matter.placeOf([...path, key]));
    }
  }

  /** Undefined: it is missing. A number or date keeps its spelling in the file. */
  text(values: Values, key: string, path: Path): string | undefined {
    const value = values[key];
    if (value === undefined || value === null) return undefined;
    const text = typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : undefined;
    const at = [...path, key];
    if (text === undefined) return this.refuse(at, `Field "${key}" must be a text, found ${shownValue(value)}`);
    if (text.length > LONGEST_TEXT) {
      return this.refuse(at, `Field "${key}" has ${text.length} characters, at most ${LONGEST_TEXT} are allowed`);
    }
    const hidden = hiddenCharacter(text);
    if (hidden !== undefined) return this.refuse(at, `Field "${key}" holds the hidden character ${hidden}: remove it`);
    return text === "" ? undefined : text;
  }

  flag(values: Values, key: string, path: Path): boolean {
    const value = values[key] ?? false;
    if (typeof value === "boolean") return value;
    this.refuse([...path, key], `Field "${key}" must be true or false, found ${shownValue(value)}`);
    return false;
  }

  texts(values: Values, key: string, path: Path): readonly string[] {
    const value = values[key] ?? [];
    if (!Array.isArray(value) || value.length > MOST_CHOICES) {
      this.refuse([...path, key], `Field "${key}" must be a list of at most ${MOST_CHOICES} texts`);
      return [];
    }
    return value.flatMap((one, index) =>
      this.text({ [key]: typeof one === "boolean" ? String(one) : one }, key, path) ??
        (one === null ? this.refuse([...path, key, index], `Field "${key}" has an empty item`) : undefined) ?? []
    );
  }

  parameters(value: unknown, path: Path): readonly PromptParameter[] {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value) || value.length > MOST_PARAMETERS) {
      this.refuse(path, `Field "${path[0]}" must be a list of at most ${MOST_PARAMETERS} arguments`);
      return [];
    }
    const names = new Set<string>();
    return value.flatMap((one: unknown, index) => {
      const parameter = this.#parameter(one, [...path, index]);
      if (parameter === undefined) return [];
      if (names.has(parameter.name)) {
        return this.refuse([...path, index], `Argument "${parameter.name}" is declared twice: remove one`) ?? [];
      }
      names.add(parameter.name);
      return [parameter];
    });
  }

  #parameter(value: unknown, path: Path): PromptParameter | undefined {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return this.refuse(path, `An argument must have a name, as in "- name: file", found ${shownValue(value)}`);
    }
    // A mapping of YAML, as checked above.
    const values = value as Values;
    this.mistyped(values, PARAMETER_KEYS, path);
    const name = this.text(values, "name", path);
    if (name === undefined || !PARAMETER_NAME.test(name)) {
      const message = `The name of an argument must be letters, digits, "_" or "-", found ${shownValue(name)}`;
      return this.refuse([...path, "name"], message);
    }
    const description = this.text(values, "description", path);
    const choices = this.texts(values, "choices", path);
    const fallback = values["default"] ?? undefined;
    return {
      name,
      ...description !== undefined && { description },
      required: this.flag(values, "required", path),
      type: this.#type(values, path, choices),
      choices,
      ...fallback !== undefined && { fallback },
    };
  }

  #type(values: Values, path: Path, choices: readonly string[]): ParameterType {
    const word = this.text(values, "type", path);
    if (word === undefined || TEXT_TYPES.includes(word)) return choices.length > 0 ? "choice" : "text";
    const type = TYPES[word];
    if (type === undefined) {
      const guess = didYouMean(word, [...Object.keys(TYPES), ...TEXT_TYPES]) || ", so any text is accepted";
      this.#report("warning", `Type "${word}" is unknown${guess}`, this.#matter.placeOf([...path, "type"]));
    }
    if ((type === "choice" || type === "choices") && choices.length === 0) {
      this.refuse([...path, "type"], `Type "${word}" needs "choices", a list of texts`);
    }
    return type ?? "text";
  }
}
