/** What the lines of audit logs add up to (V1): what ran, what was denied, which names. Pure, and bounded in memory. */
import { isWithin } from "../../../system/paths.ts";
import { type DeniedSubject, DeniedSubjects } from "./proposal.ts";
import type { AuditLine } from "./log_lines.ts";

/** Commands of one tool that run the same program, or calls of one tool. */
export interface Ran {
  readonly tool: string;
  /** The first program of its lines, or the tool at its server; empty: the tool says it. */
  readonly what: string;
  readonly runs: number;
  /** With another exit code than 0, by a signal, or not at all. */
  readonly failed: number;
  readonly denied: number;
  /** Of those whose end was written, milliseconds. */
  readonly totalMs: number;
  readonly longestMs: number;
  /** When it was called last, as the log has it. */
  readonly last: string;
}

/** A name that commands asked for, or connected to. */
export interface AskedName {
  readonly name: string;
  readonly connections: number;
  readonly refused: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

export interface AuditSum {
  /** What took longest comes first. */
  readonly ran: readonly Ran[];
  /** The most frequent first. */
  readonly denials: readonly DeniedSubject[];
  /** Those that were refused most first, then those with most connections. */
  readonly names: readonly AskedName[];
  /** Operations that a person ended. */
  readonly killed: number;
}

export interface AuditFilter {
  /** A tool's name; absent: all. */
  readonly tool?: string | undefined;
  /** A directory, with all below it; absent: all. */
  readonly directory?: string | undefined;
}

/** How many different ones are counted separately; the rest is counted together. */
const MOST_DIFFERENT = 5_000;
/** Most commands that have begun and not ended; more belong to killed servers. */
const MOST_OPEN = 10_000;
const REST = "(others)";

type Writable<Row> = { -readonly [Key in keyof Row]: Row[Key] };

interface Begun {
  readonly time: number;
  readonly ran: Writable<Ran>;
}

/** Adds up lines in the order in which they were written. */
export class AuditAdder {
  readonly #filter: AuditFilter;
  readonly #ran = new Map<string, Writable<Ran>>();
  readonly #names = new Map<string, Writable<AskedName>>();
  readonly #denials = new DeniedSubjects();
  /** By session and operation. */
  readonly #begun = new Map<string, Begun>();
  #killed = 0;

  constructor(filter: AuditFilter) {
    this.#filter = filter;
  }

  get sum(): AuditSum {
    return {
      ran: [...this.#ran.values()].toSorted((one, other) => other.totalMs - one.totalMs || other.runs - one.runs),
      denials: this.#denials.found,
      names: [...this.#names.values()].toSorted((one, other) =>
        other.refused - one.refused || other.connections - one.connections
      ),
      killed: this.#killed,
    };
  }

  /** Takes a line with time and event. */
  add(line: AuditLine): void {
    const { event, session, operation, tool } = line;
    const { tool: wanted, directory } = this.#filter;
    if (wanted !== undefined && tool !== wanted) return;
    const key = `${session} ${operation}`;
    if (event === "start") return this.#begin(key, line);
    const begun = this.#begun.get(key);
    // Only the first line of a command says where it runs.
    if (directory !== undefined && begun === undefined) return;
    if (event === "end") this.#end(key, begun, line);
    else if (event === "network") this.#addName(line);
    else if (event === "kill") this.#killed++;
  }

  #begin(key: string, line: AuditLine): void {
    const { directory } = this.#filter;
    const cwd = textOf(line["cwd"] ?? line["path"]);
    if (directory !== undefined && !isWithin(cwd, directory)) return;
    const [tool, what, last] = [textOf(line["tool"]), whatOf(line), textOf(line["time"])];
    const ran = rowOf(this.#ran, `${tool}\0${what}`, () => ({ tool, what, ...NOTHING_RAN }), {
      tool: REST,
      what: "",
      ...NOTHING_RAN,
    });
    ran.runs++;
    if (last > ran.last) ran.last = last;
    this.#begun.delete(key);
    this.#begun.set(key, { time: Date.parse(last), ran });
    const [oldest] = this.#begun.size > MOST_OPEN ? this.#begun.keys() : [];
    if (oldest !== undefined) this.#begun.delete(oldest);
  }

  #end(key: string, begun: Begun | undefined, line: AuditLine): void {
    this.#begun.delete(key);
    const denied = this.#denials.add(line);
    if (begun === undefined) return;
    const { ran, time } = begun;
    const ms = Math.max(0, Date.parse(textOf(line["time"])) - time);
    ran.totalMs += ms;
    ran.longestMs = Math.max(ran.longestMs, ms);
    ran.denied += denied;
    const { exit_code: code = 0, signal, not_started: message, outcome = "completed" } = line;
    if (code !== 0 || signal !== undefined || message !== undefined || outcome !== "completed") ran.failed++;
  }

  #addName(line: AuditLine): void {
    const name = textOf(line["name"]);
    const row = rowOf(this.#names, name, () => ({ name, ...NOTHING_ASKED }), { name: REST, ...NOTHING_ASKED });
    if (line["refused"] !== undefined) row.refused++;
    else row.connections++;
    row.bytesIn += numberOf(line["bytes_in"]);
    row.bytesOut += numberOf(line["bytes_out"]);
  }
}

const NOTHING_RAN = { runs: 0, failed: 0, denied: 0, totalMs: 0, longestMs: 0, last: "" };
const NOTHING_ASKED = { connections: 0, refused: 0, bytesIn: 0, bytesOut: 0 };

/** The row of a key; that of the rest, where there are many. */
function rowOf<Row>(rows: Map<string, Row>, key: string, make: () => Row, rest: Row): Row {
  const known = rows.get(key);
  if (known !== undefined) return known;
  const isFull = rows.size >= MOST_DIFFERENT;
  const row = isFull ? rows.get(REST) ?? rest : make();
  rows.set(isFull ? REST : key, row);
  return row;
}

/** The first program of a shell line that does more than prepare, that of a command, or the tool at its server. */
function whatOf({ shell, argv, server, called, tool }: AuditLine): string {
  if (typeof shell === "string") return programOf(shell);
  if (Array.isArray(argv)) return nameIn(textOf(argv[0]));
  return server === undefined || called === tool ? "" : `${server}: ${called}`;
}

const PREPARES = /^(?:cd|export|set|source|\.|pushd|true|:|for|case|function)$/;
/** Words of a shell line before a program. */
const LEADING = /^(?:\w+=.*|[({!]|if|then|else|while|until|do|done|fi|esac|time|exec|env)$/s;

function programOf(line: string): string {
  for (const part of line.split(/&&|\|\||[;|\n]/, 8)) {
    const [program] = part.trim().split(/\s+/).filter((word) => !LEADING.test(word));
    if (program !== undefined && program !== "" && !PREPARES.test(program)) return nameIn(program);
  }
  return "";
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).slice(0, 64);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}
