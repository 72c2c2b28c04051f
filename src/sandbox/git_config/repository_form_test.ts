import assert from "node:assert/strict";
import { type FormEntry, obeyedIn, type RepositoryFacts } from "./repository_form.ts";

function entry(name: string, kind: FormEntry["kind"] = "file"): FormEntry {
  return { name, kind, state: `state of ${name}` };
}

/** What `git init` makes. */
const MADE: RepositoryFacts = {
  entries: [
    entry("HEAD"),
    entry("config"),
    entry("description"),
    ...["branches", "hooks", "info", "objects", "refs"].map((name) => entry(name, "directory")),
  ],
  hooks: [entry("pre-commit.sample"), entry("update.sample")],
  branches: [],
  config: new Map([["core.repositoryformatversion", ["0"]], ["core.bare", ["false"]], ["user.name", ["n"]]]),
  place: { directory: "/p/.git", isWorkTree: (path) => path === "/p" },
  isOwn: false,
};

Deno.test("S24 obeyedIn() finds nothing in what git itself makes, and what work adds to it", () => {
  const added = ["FETCH_HEAD", "MERGE_MSG", "index.lock", "sharedindex.0ab", "BISECT_LOG", "shallow", "packed-refs"];
  assert.deepStrictEqual(obeyedIn(MADE), []);
  assert.deepStrictEqual(obeyedIn({ ...MADE, entries: [...MADE.entries, ...added.map((name) => entry(name))] }), []);
  assert.deepStrictEqual(obeyedIn({ ...MADE, config: new Map([["core.worktree", ["/p"]]]) }), []);
});

Deno.test("S24 obeyedIn() names what makes git run, read or send something", () => {
  const namesIn = (facts: Partial<RepositoryFacts>) => obeyedIn({ ...MADE, ...facts }).map(({ name }) => name);
  const withEntries = (...more: readonly FormEntry[]) => ({ entries: [...MADE.entries, ...more] });
  const cases: readonly (readonly [facts: Partial<RepositoryFacts>, names: readonly string[]])[] = [
    [{ config: new Map([["core.fsmonitor", ["x"]], ["core.bare", ["false"]]]) }, ["core.fsmonitor"]],
    [{ config: new Map([["remote.o.promisor", ["true"]]]) }, ["remote.o.promisor"]],
    [{ config: new Map([["core.worktree", ["/other"]]]) }, ["core.worktree"]],
    [{ config: new Map([["core.bare", [undefined]]]) }, ["core.bare"]],
    [{ config: undefined }, ["config"]],
    [{ hooks: [entry("post-index-change"), entry("update.sample")] }, ["hooks/post-index-change"]],
    [{ hooks: undefined }, ["hooks"]],
    [{ branches: [entry("origin")] }, ["branches/origin"]],
    [withEntries(entry("commondir"), entry("config.worktree")), ["commondir", "config.worktree"]],
    [withEntries(entry("worktrees", "directory"), entry("modules", "directory")), ["worktrees", "modules"]],
    [withEntries(entry("rebase-merge", "directory"), entry("remotes", "directory")), ["rebase-merge", "remotes"]],
    [{ ...withEntries(entry("main.c"), entry("remotes", "directory")), isOwn: true }, ["remotes"]],
    [{ config: undefined, hooks: undefined, isOwn: true }, ["config", "hooks"]],
  ];
  assert.deepStrictEqual(cases.map(([facts]) => namesIn(facts)), cases.map(([, names]) => names));
});

Deno.test("S24 obeyedIn() says when something is another one than before", () => {
  const stateOf = (facts: Partial<RepositoryFacts>) => obeyedIn({ ...MADE, ...facts }).map(({ state }) => state);
  const first = stateOf({ config: new Map([["core.pager", ["less"]]]) });
  assert.notDeepStrictEqual(stateOf({ config: new Map([["core.pager", ["less", "evil"]]]) }), first);
  assert.deepStrictEqual(stateOf({ hooks: [entry("update")] }), ["state of update"]);
});
