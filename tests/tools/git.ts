import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const NEW =
  "git init -q -b main --template= . && git config user.name Test && git config user.email test@example.invalid";
/** One commit of a.txt with the line "one"; with a second commit; with a branch that adds b.txt; with two that change a line. */
const PREPARED =
  `mkdir -p one two branched apart && cd one && ${NEW} && echo one > a.txt && git add a.txt && git commit -q -m first && ` +
  "cd .. && cp -a one/. two && cp -a one/. branched && cp -a one/. apart && " +
  "cd two && echo two >> a.txt && git commit -q -a -m second && cd ../branched && git switch -q -c side && " +
  "echo b > b.txt && git add b.txt && git commit -q -m 'on the side' && git switch -q main && " +
  "cd ../apart && git switch -q -c side && echo side > a.txt && git commit -q -a -m side && " +
  "git switch -q main && echo main > a.txt && git commit -q -a -m main";
const REPOSITORY = "cp -a ../one/. .";
const SECOND = "cp -a ../two/. .";
const BRANCHED = "cp -a ../branched/. .";
/** For what only reads. */
const IN_ONE = { directory: "one" };
const IN_TWO = { directory: "two" };
/** Where each row goes on from what the one before left. */
const STASH = { directory: "stash" };
const TREES = { directory: "trees" };
const REMOTE = { directory: "remote" };
/** Both branches change the same line; what is begun stands still with the conflict resolved and staged. */
function conflict(begun: string): string {
  return `cp -a ../apart/. . && { git ${begun} > /dev/null 2>&1 || echo both > a.txt; } && git add a.txt`;
}
const CHANGED = `${REPOSITORY} && echo two >> a.txt`;
/** A bare repository inside the scope as the remote. */
const BARE = `${REPOSITORY} && git init -q --bare -b main --template= remote.git && git remote add origin ./remote.git`;

/** Each leaf of tools/git.json. */
const ROWS: readonly Row[] = [
  {
    tool: "git_init",
    args: { directory: "made", "initial-branch": "trunk" },
    effect: "git -C made rev-parse --git-dir",
  },
  { tool: "git_status", setup: CHANGED, args: { short: true, branch: true }, expected: /^## main\n M a\.txt$/m },
  { tool: "git_status", setup: `${CHANGED} && echo > b`, args: { short: true, paths: ["b"] }, expected: /^\?\? b$/m },
  {
    tool: "git_add",
    setup: `${REPOSITORY} && echo b > b.txt`,
    args: { paths: ["b.txt"] },
    effect: "git diff --cached --name-only | grep -qx b.txt",
  },
  {
    tool: "git_commit",
    setup: `${CHANGED} && git add .`,
    args: { message: 'two lines\n\nwith "quotes", $(id) and `x`' },
    effect: `test "$(git log -1 --format=%B)" = "$(printf 'two lines\\n\\nwith "quotes", $(id) and \`x\`')"`,
  },
  { tool: "git_diff", setup: CHANGED, args: { paths: ["a.txt"] }, expected: /^\+two$/m },
  { ...IN_TWO, tool: "git_diff", args: { revision: "HEAD~1", stat: true }, expected: /a\.txt \| 1 \+/ },
  { ...IN_TWO, tool: "git_log", args: { "max-count": 1, oneline: true }, expected: /^[0-9a-f]+ second$/m },
  { tool: "git_diff", setup: `${SECOND} && rm a.txt`, args: { paths: ["a.txt"] }, expected: /^-two$/m },
  {
    tool: "git_diff",
    setup: `${SECOND} && echo > main`,
    args: { revision: "main", paths: ["a.txt"] },
    expected: /^\[no output/,
  },
  {
    tool: "git_log",
    setup: `${SECOND} && git rm -q a.txt && git commit -q -m gone`,
    args: { oneline: true, paths: ["a.txt"] },
    expected: /^[0-9a-f]+ gone\n[0-9a-f]+ second$/m,
  },
  { ...IN_TWO, tool: "git_show", args: { revision: "HEAD" }, expected: /second[^]*\+two/ },
  {
    tool: "git_show",
    setup: `${SECOND} && git rm -q a.txt && echo b > b.txt && git add . && git commit -q -m both`,
    args: { paths: ["a.txt"] },
    expected: /^(?![^]*b\.txt)[^]*^-one\n-two$/m,
  },
  { directory: "branched", tool: "git_branch", args: { all: true }, expected: /^\* main\n {2}side$/m },
  {
    tool: "git_switch",
    setup: REPOSITORY,
    args: { create: "fresh" },
    effect: "test $(git branch --show-current) = fresh",
  },
  { tool: "git_restore", setup: CHANGED, args: { paths: ["a.txt"] }, effect: "git diff --quiet" },
  {
    ...STASH,
    tool: "git_stash_push",
    setup: CHANGED,
    args: { message: "put aside" },
    effect: "git diff --quiet && git stash list | grep -q 'put aside'",
  },
  { ...STASH, tool: "git_stash_list", expected: /put aside/ },
  { ...STASH, tool: "git_stash_show", args: { patch: true }, expected: /^\+two$/m },
  {
    ...STASH,
    tool: "git_stash_apply",
    effect: 'grep -q two a.txt && test -n "$(git stash list)" && git checkout -q a.txt',
  },
  { ...STASH, tool: "git_stash_pop", effect: 'grep -q two a.txt && test -z "$(git stash list)" && git stash push -q' },
  { ...STASH, tool: "git_stash_drop", effect: 'test -z "$(git stash list)"' },
  { ...IN_ONE, tool: "git_worktree_list", expected: /\[main\]/ },
  {
    ...TREES,
    tool: "git_worktree_add",
    setup: REPOSITORY,
    args: { path: "tree", branch: "other" },
    effect: "test -f tree/a.txt",
  },
  {
    ...TREES,
    tool: "git_worktree_remove",
    args: { path: "tree" },
    effect: "test ! -e tree && git worktree add -q tree other && rm -r tree",
  },
  { ...TREES, tool: "git_worktree_prune", effect: "test $(git worktree list | wc -l) = 1" },
  {
    ...REMOTE,
    tool: "git_push",
    setup: BARE,
    args: { "set-upstream": true, remote: "origin", refspecs: ["main"] },
    effect: "git -C remote.git log --format=%s | grep -qx first && git update-ref -d refs/remotes/origin/main",
  },
  {
    ...REMOTE,
    tool: "git_fetch",
    args: { remote: "origin" },
    effect: "git rev-parse origin/main && git commit -q --amend -m amended --allow-empty && git push -q -f && " +
      "git reset -q --hard HEAD@{1}",
  },
  {
    ...REMOTE,
    tool: "git_pull",
    args: { rebase: true },
    effect: "git log -1 --format=%s | grep -qx amended",
  },
  { tool: "git_clone", setup: REPOSITORY, args: { repository: ".", directory: "copy" }, effect: "test -f copy/a.txt" },
  {
    tool: "git_merge",
    setup: BRANCHED,
    args: { revision: "side", "no-ff": true, message: "merged" },
    effect: "test -f b.txt && git log -1 --format=%s | grep -qx merged",
  },
  {
    tool: "git_rebase",
    setup: `${BRANCHED} && echo c > c.txt && git add . && git commit -q -m c && git switch -q side`,
    args: { upstream: "main" },
    effect: "test -f c.txt -a -f b.txt",
  },
  {
    tool: "git_rebase",
    setup: conflict("rebase side"),
    args: { continue: true },
    effect: "test \"$(git log --format=%s | paste -sd ' ')\" = 'main side first' && grep -qx both a.txt",
  },
  {
    tool: "git_cherry-pick",
    setup: conflict("cherry-pick side"),
    args: { continue: true },
    effect: 'test "$(git log -1 --format=%s)" = side && grep -qx both a.txt',
  },
  {
    tool: "git_merge",
    setup: conflict("merge side"),
    args: { continue: true },
    effect: "git rev-parse -q --verify HEAD^2 && grep -qx both a.txt",
  },
  { tool: "git_cherry-pick", setup: BRANCHED, args: { commits: ["side"] }, effect: "test -f b.txt" },
  { tool: "git_revert", setup: SECOND, args: { "no-edit": true, commits: ["HEAD"] }, effect: "! grep -q two a.txt" },
  { tool: "git_reset", setup: SECOND, args: { hard: true, revision: "HEAD~1" }, effect: "! grep -q two a.txt" },
  {
    tool: "git_tag",
    setup: REPOSITORY,
    args: { name: "v1", message: "the first" },
    effect: "git cat-file -t v1 | grep -qx tag",
  },
  { ...REMOTE, tool: "git_remote", expected: /^origin\s+\.\/remote\.git \(fetch\)$/m },
  {
    ...REMOTE,
    tool: "git_remote_add",
    args: { name: "other", url: "./other.git" },
    effect: "git remote | grep -qx other",
  },
  { ...REMOTE, tool: "git_remote_remove", args: { name: "origin" }, effect: "! git remote | grep -qx origin" },
  { ...IN_TWO, tool: "git_blame", args: { file: "a.txt", range: "2,2" }, expected: /two$/m },
  { ...IN_TWO, tool: "git_grep", args: { pattern: "tw[o]", "line-number": true }, expected: /^a\.txt:2:two$/m },
  { tool: "git_ls-files", setup: `${REPOSITORY} && echo > b`, args: { others: true }, expected: /^b$/m },
  { ...IN_ONE, tool: "git_rev-parse", args: { "abbrev-ref": true, revision: "HEAD" }, expected: /^main$/m },
  {
    tool: "git_apply",
    setup: `${CHANGED} && git diff > change.patch && git checkout -q a.txt`,
    args: { patches: ["change.patch"] },
    effect: "grep -q two a.txt",
  },
  { tool: "git_clean", setup: `${REPOSITORY} && echo > litter`, args: { force: true }, effect: "test ! -e litter" },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "git",
  prepared: PREPARED,
};
