import assert from "node:assert/strict";
import fc from "fast-check";
import { newFront } from "../format/front_matter.ts";
import { type Issue, readIssue } from "./issue.ts";
import { IssueSet } from "./issue_set.ts";

function issue(name: string, front = "", body = "", more: Partial<Issue["file"]> = {}): Issue {
  const text = front === "" ? body : `---\n${front}---\n${body}`;
  return readIssue({ name, path: name, text, problem: undefined, writtenAt: 0, completed: false, ...more });
}

Deno.test("K6 a file is an issue whatever its front matter lacks or has too much of", () => {
  const seen = ({ title, status, priority, labels, dependsOn, notes }: Issue) => ({
    title,
    status,
    priority,
    labels,
    dependsOn,
    notes,
  });
  const plain = { priority: 2, labels: [], dependsOn: [], notes: [] };
  assert.deepEqual(seen(issue("a", "", "x\n## The title ##\n")), { title: "The title", status: "open", ...plain });
  assert.deepEqual(seen(issue("a", "", "", { completed: true })), { title: "a", status: "complete", ...plain });
  assert.deepEqual(
    seen(
      issue("a", 'status: In Progress\npriority: P0\nlabels: one\ndepends_on: [b, {c: d}]\ntitle: "a\\e[31m\\nb"\n'),
    ),
    {
      title: "a b",
      status: "in_progress",
      priority: 0,
      labels: ["one"],
      dependsOn: ["b"],
      notes: [],
    },
  );
  const wrong = issue("a", "status: wontfix\npriority: 9\n");
  assert.deepEqual([wrong.status, wrong.priority, wrong.notes.length, wrong.fault], ["broken", 2, 2, undefined]);
  assert.deepEqual(issue("a", "a: [\n").status, "broken");
  assert.equal(issue("a", "status: open\n", "<<<<<<< a\n=======\n>>>>>>> b\n").status, "conflict");
});

Deno.test("K6 the next issue is open and free, waits for nothing, and comes first by priority and age", () => {
  const set = new IssueSet([
    issue("late", "created: 2026-01-02\n"),
    issue("early", "created: 2026-01-01\n"),
    issue("urgent", "priority: 0\ndepends_on: [base]\n"),
    issue("lost", "priority: 0\ndepends_on: [nowhere]\n"),
    issue("hers", "priority: 1\nassignee: ann\n"),
    issue("base", "status: complete\n"),
    issue("begun", "status: in_progress\n"),
  ]);
  const ready = (by?: string) => set.ready(by).map(({ name }) => name);
  assert.deepEqual(ready(), ["urgent", "hers", "early", "late"]);
  assert.deepEqual(ready("bob"), ["urgent", "early", "late"]);
  assert.equal(set.ofBranch("feature/urgent")?.name, "urgent");
  assert.equal(set.ofBranch("main"), undefined);
});

Deno.test("K6 a circle of dependencies is found where there is one, and only there", () => {
  const names = ["a", "b", "c", "d", "e"];
  const edges = fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)), { maxLength: 8 });
  fc.assert(fc.property(edges, (pairs) => {
    const next = (name: string) => pairs.flatMap(([from, to]) => from === name ? [to] : []);
    const set = new IssueSet(
      names.map((name) => issue(name, newFront({ depends_on: next(name), status: "open" }))),
    );
    for (const one of set.all) {
      const reached = new Set(next(one.name));
      for (const name of reached) for (const more of next(name)) reached.add(more);
      const circle = set.cycleThrough(one);
      assert.equal(circle !== undefined, reached.has(one.name));
      if (circle === undefined) continue;
      assert.deepEqual([circle[0], circle.at(-1)], [one.name, one.name]);
      assert.ok(circle.slice(1).every((name, index) => next(circle[index] ?? "").includes(name)));
    }
  }));
});
