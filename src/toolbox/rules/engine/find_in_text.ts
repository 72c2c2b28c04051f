/** What the rules for single files find in a text: patterns, queries of grammars, and numbers that are too high (K8). */
import type { Outcome } from "../../../base/outcome.ts";
import { Grammars } from "../../outline/grammars.ts";
import { endingOf, type Language, languageOf } from "../../outline/languages/languages.ts";
import type { MaxEngine, Measure, QueryEngine, TextEngine } from "../format/rule.ts";
import { findPlaces, type FoundPlace, MOST_PLACES } from "./match_text.ts";

/** A file that a rule cannot look at. */
export class FileProblem extends Error {
  override readonly name = "FileProblem";
}

export class TextRules {
  readonly #grammars: Grammars;

  /**
   * `data`: the directory of grammars; undefined: there are none. `spend` is called when a file crashes their engine.
   */
  constructor(data: string | undefined, spend: () => void) {
    this.#grammars = new Grammars({ setup: { scopes: [], readable: [], writable: [], data }, spend });
  }

  /** Whether a file has broken the engine of grammars, so that its helper is of no use any more. */
  get isBroken(): boolean {
    return this.#grammars.isBroken;
  }

  /** Places in order, one more than `MOST_PLACES` at most. @throws {FileProblem} For the file alone. @throws {UserError} When a query fits no grammar. */
  async find(engine: TextEngine, path: string, text: string): Promise<readonly FoundPlace[]> {
    if (engine.kind === "match") return findPlaces(text, engine);
    const language = languageOf(endingOf(path));
    const places = engine.kind === "query"
      ? await this.#query(engine, language, text)
      : await this.#measure(engine, language, text);
    return places.toSorted((one, other) => one.line - other.line || one.column - other.column)
      .slice(0, MOST_PLACES + 1);
  }

  async #query({ source }: QueryEngine, language: Language | undefined, text: string): Promise<readonly FoundPlace[]> {
    if (language === undefined) return [];
    const found = await this.#grammars.captures(language, text, { source, name: "finding" });
    return parsed(found).map((start) => placeAt(text, start));
  }

  async #measure({ limits }: MaxEngine, language: Language | undefined, text: string): Promise<readonly FoundPlace[]> {
    const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    const places = tooMuch(text, 0, [["file_lines", lines, "The file has", "lines"]], limits);
    const isBounded = limits.function_lines ?? limits.nesting ?? limits.parameters;
    if (language === undefined || isBounded === undefined) return places;
    const functions = parsed(await this.#grammars.functions(language, text));
    return [
      ...places,
      ...functions.flatMap(({ name, start, lines, parameters, nesting }) =>
        tooMuch(text, start, [
          ["function_lines", lines, `${name} has`, "lines"],
          ["parameters", parameters, `${name} takes`, "parameters"],
          ["nesting", nesting, `${name} nests`, "conditions and loops"],
        ], limits)
      ),
    ];
  }
}

type Fact = readonly [measure: Measure, number: number, begin: string, unit: string];

function tooMuch(
  text: string,
  start: number,
  facts: readonly Fact[],
  limits: MaxEngine["limits"],
): readonly FoundPlace[] {
  return facts.flatMap(([measure, number, begin, unit]) => {
    const most = limits[measure] ?? Infinity;
    return number > most ? [{ ...placeAt(text, start), message: `${begin} ${number} ${unit}, at most ${most}` }] : [];
  });
}

function placeAt(text: string, start: number): FoundPlace {
  const before = text.slice(0, start);
  const begin = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: [...before.slice(begin)].length + 1, fix: undefined };
}

function parsed<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new FileProblem(outcome.problem);
  return outcome.value;
}
