/** An issue, parsed from its file. Pure. */
import { shorten } from "../../../base/visible_text.ts";
import type { FrontValue, FrontValues } from "../format/front_matter.ts";
import { CONFLICT, type ItemText, readItem } from "../format/item_text.ts";
import type { NoteFile } from "../store/note_files.ts";
import { STATUSES } from "../../definition/issues.ts";

export type IssueStatus = typeof STATUSES[number];
/** `conflict`: the file has git's conflict markers. `broken`: it cannot be read, or its status is invalid. */
export type ShownStatus = IssueStatus | "conflict" | "broken";

export const DEFAULT_PRIORITY = 2;
export const LOWEST_PRIORITY = 4;
const LONGEST_TITLE = 200;
/** At most this many labels or dependencies of one issue are read. */
const MOST_TEXTS = 32;
const LONGEST_TEXT = 80;

export interface Issue extends Omit<ItemText, "values"> {
  readonly name: string;
  readonly file: NoteFile;
  readonly id: string | undefined;
  readonly title: string;
  readonly status: ShownStatus;
  /** Messages about invalid values. */
  readonly notes: readonly string[];
  readonly priority: number;
  readonly labels: readonly string[];
  readonly dependsOn: readonly string[];
  readonly assignee: string | undefined;
  readonly created: string | undefined;
  readonly completed: string | undefined;
  readonly discoveredFrom: string | undefined;
}

export function readIssue(file: NoteFile): Issue {
  const { name } = file;
  const { values, body, fault } = readItem(file);
  const status = readStatus(values["status"], file.completed);
  const priority = readPriority(values["priority"]);
  return {
    name,
    file,
    id: oneText(values, "id"),
    title: shorten(oneText(values, "title") ?? firstHeading(body) ?? name, LONGEST_TITLE),
    status: fault === CONFLICT ? "conflict" : fault === undefined ? status ?? "broken" : "broken",
    fault,
    notes: [
      ...status === undefined
        ? [`status ${JSON.stringify(values["status"])} is not one of ${STATUSES.join(", ")}`]
        : [],
      ...priority === undefined ? [`priority ${JSON.stringify(values["priority"])} is not a number from 0 to 4`] : [],
    ],
    priority: priority ?? DEFAULT_PRIORITY,
    labels: texts(values["labels"]),
    dependsOn: texts(values["depends_on"]),
    assignee: oneText(values, "assignee"),
    created: oneText(values, "created"),
    completed: oneText(values, "completed"),
    discoveredFrom: oneText(values, "discovered_from"),
    body,
  };
}

/** Whether it needs no more work. */
export function isClosed({ status }: Pick<Issue, "status">): boolean {
  return status === "complete" || status === "cancelled";
}

/** The first heading of a Markdown text; undefined: there is none. */
export function firstHeading(body: string): string | undefined {
  const [, heading] = /^#{1,6}[ \t]+(\S.*)$/m.exec(body) ?? [];
  return heading?.replace(/[ \t]+#*\s*$/, "");
}

function readStatus(value: FrontValue | undefined, completed: boolean): IssueStatus | undefined {
  if (completed) return "complete";
  if (value === undefined) return "open";
  const word = String(value).trim().toLowerCase().replaceAll(/[ -]/g, "_");
  return STATUSES.find((one) => one === word);
}

function readPriority(value: FrontValue | undefined): number | undefined {
  if (value === undefined) return DEFAULT_PRIORITY;
  const number = typeof value === "string" && /^[pP]?[0-4]$/.test(value) ? Number(value.slice(-1)) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= LOWEST_PRIORITY
    ? number
    : undefined;
}

/** One line without hidden characters; undefined: it is empty, or a list. */
function oneText(values: FrontValues, key: string): string | undefined {
  const value = values[key];
  if (value === undefined || typeof value === "object") return undefined;
  const text = shorten(String(value), LONGEST_TITLE);
  return text === "" ? undefined : text;
}

/** A single text stands for a list of one. */
function texts(value: FrontValue | undefined): readonly string[] {
  const list = typeof value === "object" ? value : value === undefined ? [] : [String(value)];
  return list.slice(0, MOST_TEXTS).map((one) => shorten(one, LONGEST_TEXT)).filter((one) => one !== "");
}
