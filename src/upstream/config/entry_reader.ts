/** Reads the fields of one entry under all names that clients have for them, and notes what is wrong with each. */
import { shownValue } from "../../base/text.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { Outcome } from "../../base/outcome.ts";
import { errorAt, type UnplacedDiagnostic, warningAt } from "../../catalog/format/diagnostic.ts";
import { isObject } from "../../wire/json_value.ts";
import type { Expanded } from "./server_spec.ts";

type Path = readonly (string | number)[];

export class EntryReader {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #path: Path;
  readonly #known = new Set<string>();
  readonly #diagnostics: UnplacedDiagnostic[];

  /** `diagnostics` receives each problem, also those of readers of its parts. */
  constructor(fields: Readonly<Record<string, unknown>>, path: Path, diagnostics: UnplacedDiagnostic[] = []) {
    this.#fields = fields;
    this.#path = path;
    this.#diagnostics = diagnostics;
  }

  get diagnostics(): readonly UnplacedDiagnostic[] {
    return this.#diagnostics;
  }

  /** Whether the entry has one of these fields. */
  has(...names: readonly string[]): boolean {
    return this.#first(names) !== undefined;
  }

  /** The raw value of a field; undefined: there is none. */
  value(name: string): unknown {
    return this.has(name) ? this.#fields[name] : undefined;
  }

  text(...names: readonly string[]): string | undefined {
    return this.#typed(names, "a text", (value): value is string => typeof value === "string");
  }

  flag(...names: readonly string[]): boolean | undefined {
    return this.#typed(names, "true or false", (value): value is boolean => typeof value === "boolean");
  }

  /** A number that is not negative. */
  amount(...names: readonly string[]): number | undefined {
    return this.#typed(
      names,
      "a number from 0 on",
      (value): value is number => typeof value === "number" && value >= 0,
    );
  }

  choice<const Choice extends string>(choices: readonly Choice[], ...names: readonly string[]): Choice | undefined {
    return this.#typed(
      names,
      `one of ${choices.join(", ")}`,
      (value): value is Choice => choices.some((choice) => choice === value),
    );
  }

  texts(...names: readonly string[]): readonly string[] | undefined {
    return this.#typed(
      names,
      "a list of texts",
      (value): value is string[] => Array.isArray(value) && value.every((one) => typeof one === "string"),
    );
  }

  /** An object of texts; numbers and booleans are written as texts, as most clients take them. */
  record(...names: readonly string[]): Readonly<Record<string, string>> {
    const value = this.#typed(names, "an object of texts", isScalars) ?? {};
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, String(one)]));
  }

  object(...names: readonly string[]): Readonly<Record<string, unknown>> | undefined {
    return this.#typed(names, "an object", isObject);
  }

  /** The reader of a nested object; without fields if there is none. */
  part(name: string): EntryReader {
    return new EntryReader(this.object(name) ?? {}, [...this.#path, name], this.#diagnostics);
  }

  /** Accepts fields that have no effect. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#known.add(name);
  }

  /** Notes a mistake at one of its fields; `undefined`: at the entry. */
  refuse(name: string | undefined, message: string): void {
    this.#diagnostics.push(errorAt(name === undefined ? this.#path : [...this.#path, name], message));
  }

  warn(name: string | undefined, message: string): void {
    this.#diagnostics.push(warningAt(name === undefined ? this.#path : [...this.#path, name], message));
  }

  /** The expanded text; a variable without value is a mistake at the field. */
  expanded(name: string, outcome: Outcome<Expanded>): Expanded {
    if (outcome.ok) return outcome.value;
    this.refuse(name, outcome.problem);
    return { text: "", shown: "" };
  }

  /** Warns about fields that were never read. */
  warnOfUnknown(): void {
    for (const name of Object.keys(this.#fields).filter((one) => !this.#known.has(one))) {
      this.#diagnostics.push({
        severity: "warning",
        path: [...this.#path, name],
        at: "key",
        message: `Field ${shownValue(name)} is unknown and has no effect${didYouMean(name, this.#known)}`,
      });
    }
  }

  #first(names: readonly string[]): string | undefined {
    for (const name of names) this.#known.add(name);
    return names.find((name) => this.#fields[name] !== undefined && this.#fields[name] !== null);
  }

  #typed<Value>(
    names: readonly string[],
    expected: string,
    is: (value: unknown) => value is Value,
  ): Value | undefined {
    const name = this.#first(names);
    if (name === undefined) return undefined;
    const value = this.#fields[name];
    if (is(value)) return value;
    this.refuse(name, `Field "${name}" must be ${expected}, not ${shownValue(value)}`);
    return undefined;
  }
}

function isScalars(value: unknown): value is Readonly<Record<string, string | number | boolean>> {
  return isObject(value) && Object.values(value).every((one) => ["string", "number", "boolean"].includes(typeof one));
}
