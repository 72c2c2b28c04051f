import { exists } from "../../../tests/_support/workbench.ts";
import type { Agent } from "../../client/agent.ts";
import { call } from "../call.ts";
import { check, took } from "../checks.ts";
import type { Project } from "../project.ts";
import type { Screen } from "../screen.ts";
import type { Step } from "../show.ts";

/** What a step works with. */
export interface ToolboxStage {
  readonly agent: Agent;
  readonly project: Project;
  readonly screen: Screen;
}

/** The demonstration, in order. */
export const TOOLBOX_STEPS: readonly Step<ToolboxStage>[] = [
  { title: "Native tools stand next to the others, in groups that a flag offers", play: listTools },
  { title: "Find and read: by pattern and by content, numbered, with a fingerprint", play: findAndRead },
  { title: "Edit: one place or none, and the diff of what was done", play: edit },
  { title: "The sandbox: a file outside is not read, a git hook is not written", play: outside },
  { title: "A workflow: the exit code decides, the agent mends, the run goes on", play: followFlow },
  { title: "Issues: plain files, the next one that is ready, claimed in one step", play: workOnIssues },
  { title: "What the branch changes, in one call", play: listChanges },
];

const CHECK = `---
description: Mend until the check succeeds
---

\`\`\`mermaid
stateDiagram-v2
    [*] --> check
    check --> done: success
    check --> mend: failure
    mend --> check: answer == "YES"
    mend --> [*]: default
    done --> [*]
\`\`\`

## Actions

- check: shell "sh check.sh" with result="said"
- mend: ask "The check says: {{ said }}. Mend it. Is it done?" with result="answer"
- done: log "the check succeeds"
`;

const FILES: Readonly<Record<string, string>> = {
  "src/greet.ts": 'export function greet(name: string) {\n  return "Helo, " + name;\n}\n',
  "src/main.ts": 'import { greet } from "./greet.ts";\n\ngreet("Helo");\n',
  "check.sh": "grep -q 'Hello, ' src/greet.ts || { echo 'greet.ts greets with the wrong word'; exit 1; }\n",
  ".ahma/flows/check.md": CHECK,
};

/** The files of the demonstration, and a first commit. */
export function prepareToolbox({ directory }: Project): void {
  for (const [path, text] of Object.entries(FILES)) {
    Deno.mkdirSync(`${directory}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${directory}/${path}`, text);
  }
  const line =
    "git init -q -b main . && git add . && git -c user.name=demo -c user.email=demo@example.com commit -qm 1";
  const { success } = new Deno.Command("sh", { args: ["-c", line], cwd: directory }).outputSync();
  if (!success) throw new Error("Git did not make the repository of the demonstration");
}

async function listTools({ agent, screen }: ToolboxStage): Promise<void> {
  await agent.connect();
  screen.asks("tools/list");
  const { tools } = await agent.client.listTools();
  const names = tools.map(({ name }) => name);
  screen.shows(names.join("  "));
  check(["files_edit", "flow", "issue_next", "git_changes"].every((name) => names.includes(name)), {
    good: `${names.length} tools; without --bundles there are four`,
    bad: "a tool is missing",
  }, screen);
}

async function findAndRead(stage: ToolboxStage): Promise<void> {
  const found = await call(stage, "files_glob", { pattern: "**/*.ts" });
  const begin = performance.now();
  const read = await call(stage, "files_read", { path: "src/greet.ts" });
  check(found.text.includes("src/greet.ts") && read.text.includes("2\t") && /rev [0-9a-f]{12}/.test(read.text), {
    good: `read in ${took(begin)}: the worker is warm`,
    bad: "the file was not read",
  }, stage.screen);
}

async function edit(stage: ToolboxStage): Promise<void> {
  const { screen } = stage;
  const missing = await call(stage, "files_edit", { path: "src/main.ts", old_string: "greeet(", new_string: "greet(" });
  check(missing.isError, { good: "no such text: nothing was changed", bad: "something was changed" }, screen);
  const path = "src/main.ts";
  const done = await call(stage, "files_edit", { path, old_string: 'greet("Helo")', new_string: 'greet("you")' });
  check(
    !done.isError && done.text.includes('+greet("you")'),
    { good: "changed, with the diff", bad: "no diff" },
    screen,
  );
}

async function outside(stage: ToolboxStage): Promise<void> {
  const { project, screen } = stage;
  const stolen = await call(stage, "files_read", { path: project.secret });
  check(stolen.isError && !stolen.text.includes("PRIVATE"), {
    good: "a key in the home of the user: not read",
    bad: "the key was read",
  }, screen);
  const hook = await call(stage, "files_write", { path: ".git/hooks/pre-commit", content: "#!/bin/sh\ntouch pwned\n" });
  check(hook.isError && !exists(`${project.directory}/.git/hooks/pre-commit`), {
    good: "a hook that git would run: not written",
    bad: "the hook was written",
  }, screen);
}

async function followFlow(stage: ToolboxStage): Promise<void> {
  const begun = await call(stage, "flow", { flow_name: "check" });
  const run = /"run_id":"(\w+)"/.exec(begun.text)?.[1] ?? "";
  await call(stage, "files_edit", { path: "src/greet.ts", old_string: "Helo, ", new_string: "Hello, " });
  const ended = await call(stage, "flow", { run_id: run, result: "YES" });
  check(ended.text.includes("the check succeeds") && ended.text.includes("completed"), {
    good: "it does not end before the exit code is 0, and would survive a restart",
    bad: "the workflow did not end",
  }, stage.screen);
}

async function workOnIssues(stage: ToolboxStage): Promise<void> {
  await call(stage, "issue_create", { name: "translate", content: "Greet in three languages." });
  await call(stage, "issue_create", { name: "release", content: "Tag it.", depends_on: ["translate"] });
  const next = await call(stage, "issue_next", { claim: "demo" });
  const isFile = exists(`${stage.project.directory}/.ahma/issues/translate.md`);
  check(next.text.includes("translate") && isFile, {
    good: "release waits for translate; both are Markdown files that git merges",
    bad: "another issue came first",
  }, stage.screen);
}

async function listChanges(stage: ToolboxStage): Promise<void> {
  const changes = await call(stage, "git_changes", {});
  check(changes.text.includes("M src/greet.ts"), { good: "one call", bad: "a change is missing" }, stage.screen);
}
