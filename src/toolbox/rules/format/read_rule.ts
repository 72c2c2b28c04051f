/** Parses a Markdown file into a rule, or diagnostics (K8). */
import type { Diagnostic } from "../../../base/diagnostic.ts";
import { didYouMean } from "../../../base/suggest.ts";
import { shownValue } from "../../../base/text.ts";
import { hiddenCharacter } from "../../../base/visible_text.ts";
import type { ReportFault } from "../../../prompt/format/faults.ts";
import { type FrontMatter, readFrontMatter, splitText } from "../../../prompt/format/front_matter.ts";
import { nameProblem } from "../../../prompt/format/prompt_name.ts";
import { FactReader } from "../../../prompt/format/read_facts.ts";
import type { PromptText } from "../../../prompt/format/read_prompt.ts";
import { globProblem } from "../../find/glob_pattern.ts";
import { globsOfType, KNOWN_TYPES } from "../../grep/file_types.ts";
import { endingOf, languageOf, LANGUAGES } from "../../outline/languages/languages.ts";
import { isObject } from "../../../wire/json_value.ts";
import { patternProblem } from "./pattern.ts";
import { MEASURES, OUTPUT_FORMS, type OutputForm, type Rule, type RuleEngine, type Severity } from "./rule.ts";
import { SEVERITIES } from "../../definition/rules.ts";

/** `rule` is undefined if the file has an error. */
export interface ReadRule {
  readonly rule: Rule | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Parsers of engines by field name. */
const ENGINES: Readonly<Record<string, (matter: FrontMatter, reader: FactReader) => RuleEngine | undefined>> = {
  match: matchEngine,
  command: commandEngine,
  query: queryEngine,
  max: maxEngine,
  ast_grep: (_, reader) =>
    reader.refuse(["ast_grep"], 'Field "ast_grep" is not known here: write "command" with the program ast-grep'),
};
const KEYS: readonly string[] = [
  ...["title", "description", "category", "severity", "tags", "auto_fix", "partial", "files", "languages", "message"],
  ...["not", "multiline", "fix", "parse"],
  ...Object.keys(ENGINES),
];

/** Reads one file. Never throws because of its content. */
export async function readRule(text: PromptText): Promise<ReadRule> {
  const { file } = text;
  const diagnostics: Diagnostic[] = [];
  const report: ReportFault = (severity, message, { line, column }) => {
    diagnostics.push({ severity, file, pointer: "", line, column, message });
    return undefined;
  };
  const rule = await ruleOf({ ...text, text: text.text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n") }, report);
  return { rule: diagnostics.some(({ severity }) => severity === "error") ? undefined : rule, diagnostics };
}

async function ruleOf({ name, origin, file, text }: PromptText, report: ReportFault): Promise<Rule | undefined> {
  const start = { line: 1, column: 1 };
  const problem = nameProblem(name);
  if (problem !== undefined) return report("error", `The name "${name}" ${problem}: rename the file`, start);
  const hidden = hiddenCharacter(text);
  if (hidden !== undefined) return report("error", `The file holds the hidden character ${hidden}: remove it`, start);
  const split = splitText(text);
  if (split === "unclosed") {
    return report("error", 'The front matter is not closed: end it with a line of "---"', start);
  }
  const matter = await readFrontMatter(split.head, report);
  if (matter === undefined) return undefined;
  const { values } = matter;
  const reader = new FactReader(matter, report);
  reader.mistyped(values, KEYS, []);
  const severity = severityOf(matter, reader);
  const engine = engineOf(matter, reader);
  if (severity === undefined || engine === undefined) return undefined;
  if (engine.kind === "review" && split.body.trim() === "") {
    return report("error", "The rule has no engine and no text: write what a reviewer looks for", start);
  }
  return {
    name,
    origin,
    file,
    title: reader.text(values, "title", []),
    description: reader.text(values, "description", []),
    category: reader.text(values, "category", []),
    severity,
    files: globsOf(reader, matter),
    languageGlobs: languageGlobs(reader, matter),
    message: reader.text(values, "message", []),
    engine,
    body: split.body,
    linesBefore: split.linesBefore,
  };
}

function severityOf({ values }: FrontMatter, reader: FactReader): Severity | undefined {
  const given = reader.text(values, "severity", []);
  const found = SEVERITIES.find((one) => one === given);
  if (found !== undefined) return found;
  const what = given === undefined ? "is missing" : `is "${given}"${didYouMean(given, SEVERITIES)}`;
  return reader.refuse(["severity"], `Field "severity" ${what}: write one of ${SEVERITIES.join(", ")}`);
}

function engineOf(matter: FrontMatter, reader: FactReader): RuleEngine | undefined {
  const { values } = matter;
  const given = Object.keys(ENGINES).filter((key) => values[key] !== undefined && values[key] !== null);
  const [first, second] = given;
  if (second !== undefined) return reader.refuse([second], `Fields ${given.join(" and ")}: keep one of them`);
  return first === undefined ? { kind: "review" } : ENGINES[first]?.(matter, reader);
}

function matchEngine({ values }: FrontMatter, reader: FactReader): RuleEngine | undefined {
  const multiline = reader.flag(values, "multiline", []);
  const [pattern, not] = ["match", "not"].map((key) => {
    const text = reader.text(values, key, []);
    const problem = text === undefined ? undefined : patternProblem(text, multiline);
    return problem === undefined
      ? text
      : reader.refuse([key], `Field "${key}" is not a regular expression: ${problem}`);
  });
  if (pattern === undefined) return reader.refuse(["match"], 'Field "match" needs a regular expression, as in "TODO"');
  return { kind: "match", pattern, not, multiline, fix: reader.text(values, "fix", []) };
}

function commandEngine(matter: FrontMatter, reader: FactReader): RuleEngine | undefined {
  const words = listOf(reader, matter, "command");
  const parse = reader.text(matter.values, "parse", []) ?? OUTPUT_FORMS[0];
  if (!OUTPUT_FORMS.some((form) => form === parse)) {
    const forms = OUTPUT_FORMS.map((form) => `"${form}"`).join(", ");
    return reader.refuse(["parse"], `Field "parse" is ${shownValue(parse)}: write one of ${forms}`);
  }
  if (words.length === 0) return reader.refuse(["command"], 'Field "command" must be a list, as ["eslint", "{files}"]');
  return { kind: "command", words, parse: parse as OutputForm }; // one of them, as checked above
}

/** A query is written for one grammar, so the rule must name its languages. */
function queryEngine(matter: FrontMatter, reader: FactReader): RuleEngine | undefined {
  const source = reader.text(matter.values, "query", []);
  if (source?.includes("@finding") !== true) {
    return reader.refuse(["query"], 'Field "query" captures nothing as @finding, which marks the place of a finding');
  }
  const endings = languageGlobs(reader, matter).map(endingOf);
  if (endings.some((ending) => languageOf(ending) !== undefined)) return { kind: "query", source };
  const names = LANGUAGES.map(({ name }) => name).join(", ");
  return reader.refuse(["query"], `Field "query" needs "languages" with a grammar (${names})`);
}

function maxEngine({ values }: FrontMatter, reader: FactReader): RuleEngine | undefined {
  const given = values["max"];
  const example = "as in {function_lines: 50, parameters: 5}";
  if (!isObject(given)) return reader.refuse(["max"], `Field "max" must be numbers by name, ${example}`);
  for (const [name, value] of Object.entries(given)) {
    if (!MEASURES.some((one) => one === name)) {
      return reader.refuse(["max", name], `Field "${name}" is unknown: max takes ${MEASURES.join(", ")}`);
    }
    if (!Number.isSafeInteger(value) || Number(value) < 0) {
      return reader.refuse(["max", name], `Field "${name}" must be a whole number, found ${shownValue(value)}`);
    }
  }
  return { kind: "max", limits: { ...given } };
}

function globsOf(reader: FactReader, matter: FrontMatter): readonly string[] {
  const globs = listOf(reader, matter, "files");
  const problem = globs.map(globProblem).find((one) => one !== undefined);
  return problem === undefined ? globs : reader.refuse(["files"], problem) ?? [];
}

/** A single text stands for a list of one. */
function listOf(reader: FactReader, { values }: FrontMatter, key: string): readonly string[] {
  const value = values[key];
  return reader.texts(typeof value === "string" ? { [key]: [value] } : values, key, []);
}

function languageGlobs(reader: FactReader, matter: FrontMatter): readonly string[] {
  return listOf(reader, matter, "languages").flatMap((language) =>
    globsOfType(language) ??
      reader.refuse(["languages"], `Language "${language}" is not known: write one of ${KNOWN_TYPES}`) ?? []
  );
}
