/** Parses the output of linters into places with messages. Pure. */
import { failure, type Outcome, success } from "../../../base/outcome.ts";
import { percentDecoded } from "../../../base/text.ts";
import { isObject, member, parseJson } from "../../../wire/json_value.ts";
import type { OutputForm } from "../format/rule.ts";

/** A message of a program about a place. */
export interface ToldPlace {
  /** The path as the program names it. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** The places in the output of a program; the problem is that it has another form. */
export function parseOutput(text: string, form: OutputForm): Outcome<readonly ToldPlace[]> {
  if (form === "file:line:col: message") return success(parseLines(text));
  return form === "sarif" ? parseSarif(text) : parseObjects(text);
}

/** Other lines, such as totals, are ignored. */
function parseLines(text: string): readonly ToldPlace[] {
  return text.split("\n").flatMap((line) => {
    const [, path, number = "", column = "1", message = ""] = /^([^:\n]+):(\d+)(?::(\d+))?:\s*(.*)$/.exec(line) ?? [];
    return path === undefined ? [] : [placeOf(path, number, column, message.trim())];
  });
}

function parseSarif(text: string): Outcome<readonly ToldPlace[]> {
  const read = parseJson(text);
  const runs = read.ok ? member(read.value, "runs") : undefined;
  if (!Array.isArray(runs)) return failure('it is not SARIF: an object with "runs" is expected');
  return success(
    runs.flatMap((run) => listAt(run, "results")).flatMap((result) => {
      const [location] = listAt(result, "locations");
      const physical = member(location, "physicalLocation");
      const path = member(member(physical, "artifactLocation"), "uri");
      if (typeof path !== "string") return [];
      const region = member(physical, "region");
      const message = member(member(result, "message"), "text");
      return [placeOf(pathOfUri(path), member(region, "startLine"), member(region, "startColumn"), message)];
    }),
  );
}

const NAMES = {
  path: ["file", "path", "filename", "filePath"],
  line: ["line", "row", "lineNumber"],
  column: ["column", "col"],
  message: ["message", "text", "description"],
} as const;

/** Objects with a path and a list of `messages` count as one finding per message. */
function ofOneFile(object: unknown): readonly unknown[] {
  const messages = member(object, "messages");
  if (!isObject(object) || !Array.isArray(messages)) return [object];
  return messages.map((message) => ({ ...object, ...isObject(message) && message }));
}

/** A list of objects, an object whose only list holds them, or an object on each line. */
function parseObjects(text: string): Outcome<readonly ToldPlace[]> {
  const whole = parseJson(text);
  const values = whole.ok ? [whole.value] : text.split("\n").filter((line) => line.trim() !== "").map((line) => {
    const one = parseJson(line);
    return one.ok ? one.value : undefined;
  });
  if (values.includes(undefined)) return failure("it is not JSON");
  const objects = values.flatMap((value) => Array.isArray(value) ? value : listIn(value) ?? [value]).flatMap(ofOneFile);
  return success(objects.flatMap((object) => {
    const [path, line, column, message] = [NAMES.path, NAMES.line, NAMES.column, NAMES.message].map((names) => {
      const at = member(object, "location") ?? member(object, "range");
      const found = names.find((name) => member(object, name) !== undefined);
      if (found !== undefined) return member(object, found);
      const inner = names.find((name) => member(at, name) ?? member(member(at, "start"), name));
      return inner && (member(at, inner) ?? member(member(at, "start"), inner));
    });
    return typeof path === "string" ? [placeOf(path, line, column, message)] : [];
  }));
}

function listIn(value: unknown): readonly unknown[] | undefined {
  const lists = isObject(value) ? Object.values(value).filter((one) => Array.isArray(one)) : [];
  return lists.length === 1 ? lists[0] : undefined;
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = member(value, name);
  return Array.isArray(list) ? list : [];
}

function placeOf(path: string, line: unknown, column: unknown, message: unknown): ToldPlace {
  return { path, line: positive(line), column: positive(column), message: typeof message === "string" ? message : "" };
}

function positive(value: unknown): number {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : 1;
}

function pathOfUri(uri: string): string {
  return percentDecoded(uri.replace(/^file:\/\/[^/]*/, ""));
}
