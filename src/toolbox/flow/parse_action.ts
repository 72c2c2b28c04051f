/** Parses the line of a state into its action (K7). Keywords ignore case. Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Action, Expected, LogLevel, StateAction, Template, TemplateMap } from "./flow.ts";
import { parseTemplate } from "./template.ts";
import { type ParsedWords, parseWords } from "./words.ts";

const VARIABLE = /^[A-Za-z_]\w*$/;
const LONGEST_WAIT_SECONDS = 24 * 3600;
const UNITS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600 };
const LEVELS: readonly LogLevel[] = ["info", "warning", "error"];

type Reader = (words: ParsedWords) => Outcome<Action | undefined>;

/** Parsers by the keywords that begin a line. */
const READERS: readonly (readonly [keywords: RegExp, read: Reader])[] = [
  [/^execute\s+prompt\b/i, readPrompt],
  [
    /^(?:run\s+workflow|run\s+flow|delegate\s+to)\b/i,
    (words) =>
      withName(
        words,
        'A flow needs its name in quotation marks: run workflow "NAME"',
        (flow, args) => ({ kind: "run", flow, args }),
      ),
  ],
  [/^shell\b/i, readShell],
  [
    /^tool\b/i,
    (words) =>
      withName(
        words,
        'A tool needs its name in quotation marks: tool "NAME" with key="value"',
        (name, args) => ({ kind: "tool", name, args }),
      ),
  ],
  [/^log\b/i, readLog],
  [/^set(?:_variable)?\b/i, readSet],
  [/^wait\b/i, readWait],
  [/^ask\b/i, readAsk],
  [/^abort(?:\s+with\s+message)?\b/i, (words) => withText(words, (reason) => success({ kind: "abort", reason }))],
];

/** The action of a line; undefined: the line is only a comment for readers. The problem says what is wrong. */
export function parseAction(line: string): Outcome<StateAction | undefined> {
  const text = line.trim();
  const found = READERS.find(([keywords]) => keywords.test(text));
  if (found === undefined) return success(undefined);
  const [keywords, read] = found;
  const words = parseWords(text.replace(keywords, ""));
  if (!words.ok) return words;
  const action = read(words.value);
  if (!action.ok) return action;
  const { result } = words.value.options;
  if (result !== undefined && !VARIABLE.test(result)) return failure(`"${result}" is not the name of a variable`);
  return success(action.value && { action: action.value, result });
}

function readPrompt({ options: { expect: word, ...options }, ...words }: ParsedWords): Outcome<Action> {
  const expect = readExpected(word);
  if (!expect.ok) return expect;
  const problem = 'A prompt needs its name in quotation marks: execute prompt "NAME"';
  return withName(
    { ...words, options },
    problem,
    (name, args) => ({ kind: "prompt", name, args, expect: expect.value }),
  );
}

function readShell(words: ParsedWords): Outcome<Action> {
  const { timeout, working_directory: given, env, result: _, ...others } = words.options;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    return failure(`"${unknown}" is unknown for shell: give timeout, working_directory, env or result`);
  }
  const timeoutSeconds = timeout === undefined ? undefined : Number(timeout);
  if (timeoutSeconds !== undefined && !(timeoutSeconds > 0)) {
    return failure(`timeout=${timeout} is not a number of seconds`);
  }
  const environment = templatesOf(env === undefined ? {} : words.objects["env"] ?? {});
  if (!environment.ok) return environment;
  const directory = given === undefined ? undefined : parseTemplate(given);
  if (directory?.ok === false) return directory;
  return withText(words, (command) => {
    const problem = shellProblem(command);
    if (problem !== undefined) return failure(problem);
    const options = {
      ...timeoutSeconds !== undefined && { timeoutSeconds },
      ...directory !== undefined && { directory: directory.value },
      environment: environment.value,
    };
    return success({ kind: "shell", command, options });
  });
}

function readLog(words: ParsedWords): Outcome<Action> {
  const named = words.bare[0]?.toLowerCase() ?? "info";
  const level = LEVELS.find((one) => one === named);
  if (level === undefined) return failure(`log ${named} is unknown: give info, warning or error`);
  return withText(words, (text) => success({ kind: "log", level, text }));
}

function readSet({ options }: ParsedWords): Outcome<Action> {
  const entries = Object.entries(options);
  const [entry] = entries;
  if (entry === undefined || entries.length > 1) return failure('set takes one variable: set NAME="VALUE"');
  const value = parseTemplate(entry[1]);
  return value.ok ? success({ kind: "set", variable: entry[0], value: value.value }) : value;
}

function readWait({ bare }: ParsedWords): Outcome<Action> {
  if (bare.join(" ").toLowerCase() === "for user input") {
    return success({ kind: "ask", question: ["The flow waits for the user: ask how to go on."], expect: "text" });
  }
  const [count = "", unit = ""] = bare;
  const seconds = Number(count) * (UNITS[unit.toLowerCase().replace(/s$/, "")] ?? NaN);
  if (seconds >= 0 && seconds <= LONGEST_WAIT_SECONDS) return success({ kind: "wait", seconds });
  return failure(`wait takes a time of at most a day, as in "wait 5 seconds", or "wait for user input"`);
}

function readAsk(words: ParsedWords): Outcome<Action> {
  const { expect: word, result: _, ...others } = words.options;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return failure(`"${unknown}" is unknown for ask: give expect or result`);
  const expect = readExpected(word);
  return expect.ok ? withText(words, (question) => success({ kind: "ask", question, expect: expect.value })) : expect;
}

/** An action with a quoted name and options as arguments; `problem` is used if the name is missing. */
function withName(
  { quoted, options }: ParsedWords,
  problem: string,
  make: (name: string, args: TemplateMap) => Action,
): Outcome<Action> {
  const [name] = quoted;
  if (name === undefined) return failure(problem);
  const { result: _, ...rest } = options;
  const args = templatesOf(rest);
  return args.ok ? success(make(name, args.value)) : args;
}

function withText(words: ParsedWords, make: (text: Template) => Outcome<Action>): Outcome<Action> {
  const [text] = words.quoted;
  if (text === undefined) return failure("The text must stand in quotation marks");
  const template = parseTemplate(text);
  return template.ok ? make(template.value) : template;
}

function templatesOf(texts: Readonly<Record<string, string>>): Outcome<TemplateMap> {
  const templates: Record<string, Template> = {};
  for (const [name, text] of Object.entries(texts)) {
    const template = parseTemplate(text);
    if (!template.ok) return template;
    templates[name] = template.value;
  }
  return success(templates);
}

function readExpected(word = "text"): Outcome<Expected> {
  if (word === "text" || word === "yes_no" || word === "json") return success(word);
  return failure(`expect="${word}" is unknown: give text, yes_no or json`);
}

/** The start of a command: after an operator, a keyword, a program that starts others, or assignments. */
const START =
  String.raw`(?:^|[;&|(){}!\n]|\b(?:then|do|else|elif|if|while|until|time|command|builtin|exec|env|nohup|xargs)\b)` +
  String.raw`\s*(?:\w+=\S*\s+|-\S+\s+)*(?:\S*/)?`;

/** Names of programs that evaluate their arguments as code: shell builtins first, then interpreters. */
const READING = "eval|let|declare|typeset|local|readonly|read|readarray|mapfile|unset|trap|alias|source|" +
  "[gmn]?awk|sed|ssh|su|script|watch|parallel";
const INTERPRETERS = String.raw`python[\d.]*|perl|ruby|node|deno|bun|php|lua|osascript`;

/** What a line with values must not contain, with the words of the problem. */
const CODE: readonly RegExp[] = [
  // Nested command lines, and arithmetic, in which an index may contain a command.
  /`|\$\(|<<|\(\(|\$\[/,
  // Expansions that evaluate the value of a variable: an index, an offset, a name, a prompt.
  /\$\{!|\$\{\w+\[(?![@*\d])|\$\{\w+:(?![-+?=])|\$\{[^}]*@P\}|\b\w+\[[^\]@*\d][^\]]*\]\+?=/,
  /\[\[(?:[^\]]|\][^\]])*\s-(?:eq|ne|lt|le|gt|ge)\s|(?:\[|\btest)\s(?:.*\s)?-v\s|\bprintf\s+-v\b/s,
  /\b(?:PS0|PS4|ENV|BASH_ENV|PROMPT_COMMAND|SHELLOPTS)\+?=/,
  /\$\{?(?:SHELL|BASH|0)\b/,
  // A shell that gets its line as arguments or on its input; a shell that runs a script file is allowed.
  /(?:^|[\s\/;&|(!])(?:ba|da|z|k|a|fi)?sh(?=\s*(?:$|[;&|)<\n]|[-+]))/,
  new RegExp(`${START}(?:${READING})(?=[\\s_]|$)`),
  new RegExp(`${START}(?:${INTERPRETERS})\\s(?:[^;|&\\n]*\\s)?(?:-\\w*[cer]\\b|--eval|eval\\b)`),
];

/** Why a shell line must not have values; undefined: it may, or has none. */
export function shellProblem(template: Template): string | undefined {
  if (template.every((part) => typeof part === "string")) return undefined;
  const line = template.map((part) => typeof part === "string" ? part : "_").join("");
  // A shell removes quotation marks from command names.
  const plain = line.replaceAll(/\\(?=\w)|["']/g, "");
  const found = CODE.map((code) => (code.exec(line) ?? code.exec(plain))?.[0].trim()).find((one) => one !== undefined);
  if (found === undefined) return undefined;
  return `A line with ${found} takes no values, because they would be read as commands; ` +
    "pass them with env={...}, or use a script of the project";
}
