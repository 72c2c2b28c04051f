/** All issues at one moment, with their dependencies and order. Pure except for `loadIssues`. */
import type { Outcome } from "../../../base/outcome.ts";
import { compareText } from "../../../base/text.ts";
import { resolveReference } from "../format/references.ts";
import type { Project } from "../../project/project.ts";
import { type NoteListing, readNotes } from "../store/note_files.ts";
import { isClosed, type Issue, readIssue } from "./issue.ts";

/** A dependency that keeps an issue waiting. */
export interface Waiting {
  readonly reference: string;
  /** Undefined: there is no such issue, or several. */
  readonly issue: Issue | undefined;
}

export class IssueSet {
  readonly all: readonly Issue[];
  readonly #known = new Map<string, Issue | undefined>();

  constructor(all: readonly Issue[]) {
    this.all = all;
    for (const one of all) this.#known.set(one.name, one);
  }

  /** The issue of a reference; the problem names the candidates. */
  resolve(reference: string): Outcome<Issue> {
    return resolveReference(this.all, reference, "issue");
  }

  /** The dependencies of an issue that are not complete. */
  waitsFor(issue: Issue): readonly Waiting[] {
    return issue.dependsOn.map((reference) => ({ reference, issue: this.#dependency(reference) }))
      .filter((one) => one.issue === undefined || !isClosed(one.issue));
  }

  /** Open issues that wait for nothing and are free for `by`; the first is the next one. `by` undefined: for anyone. */
  ready(by?: string): readonly Issue[] {
    return this.all.filter((one) =>
      one.status === "open" && one.fault === undefined && this.waitsFor(one).length === 0 &&
      (by === undefined || one.assignee === undefined || one.assignee === by)
    ).toSorted(compareIssues);
  }

  /** The names of a dependency circle that begins and ends with the issue; undefined: it is in none. */
  cycleThrough(start: Issue): readonly string[] | undefined {
    const from = new Map<Issue, Issue | undefined>([[start, undefined]]);
    const queue = [start];
    for (let issue = queue.shift(); issue !== undefined; issue = queue.shift()) {
      for (const reference of issue.dependsOn) {
        const next = this.#dependency(reference);
        if (next === start) return circle(issue, from, start);
        if (next === undefined || from.has(next)) continue;
        from.set(next, issue);
        queue.push(next);
      }
    }
    return undefined;
  }

  /** The issues that depend on an issue, sorted by name. */
  dependents(issue: Issue): readonly string[] {
    return this.all.filter((one) => one.dependsOn.some((reference) => this.#dependency(reference) === issue))
      .map(({ name }) => name);
  }

  /** The issue of a git branch: the longest name that equals or ends the branch name; undefined: there is none. */
  ofBranch(branch: string): Issue | undefined {
    const wanted = branch.toLowerCase();
    const ends = (name: string) => wanted === name || ["/", "-", "_"].some((mark) => wanted.endsWith(mark + name));
    return this.all.filter(({ name }) => ends(name.toLowerCase()))
      .toSorted((one, other) => other.name.length - one.name.length)[0];
  }

  #dependency(reference: string): Issue | undefined {
    if (!this.#known.has(reference)) {
      const found = this.resolve(reference);
      this.#known.set(reference, found.ok ? found.value : undefined);
    }
    return this.#known.get(reference);
  }
}

/** Reads all issues of a project. */
export function loadIssues(project: Project): { readonly set: IssueSet; readonly listing: NoteListing } {
  const listing = readNotes(project, "issues");
  return { listing, set: new IssueSet(listing.files.map(readIssue)) };
}

/** Lowest priority number first, then the oldest, then by name. */
export function compareIssues(one: Issue, other: Issue): number {
  return one.priority - other.priority || compareText(one.created ?? "", other.created ?? "") ||
    compareText(one.id ?? "", other.id ?? "") || compareText(one.name, other.name);
}

function circle(last: Issue, from: ReadonlyMap<Issue, Issue | undefined>, start: Issue): readonly string[] {
  const names = [start.name];
  for (let at: Issue | undefined = last; at !== undefined; at = from.get(at)) names.unshift(at.name);
  return names;
}
