import { exists } from "../../tests/_support/workbench.ts";
import { check, firstLine, printed, took } from "./checks.ts";
import type { Project } from "./project.ts";
import type { Screen } from "./screen.ts";
import type { Agent, Answer } from "../client/agent.ts";
import type { Step } from "./show.ts";

/** What a step works with. */
export interface Stage {
  readonly agent: Agent;
  readonly project: Project;
  readonly screen: Screen;
}

/** The demonstration, in order. */
export const STEPS: readonly Step<Stage>[] = [
  { title: "A client connects and lists the tools", play: listTools },
  { title: "A synchronous tool: the result is the answer", play: callAndWait },
  { title: "Live progress: output arrives while the command runs", play: watch },
  { title: "In the background: an id at once, the result when it is ready", play: callAndGoOn },
  { title: "The sandbox: the kernel refuses what lies outside the project", play: tryToBreakOut },
  { title: "Cancel: the whole process tree is gone", play: cancel },
];

async function listTools({ agent, screen }: Stage): Promise<void> {
  const begin = performance.now();
  await agent.connect();
  const { name, version } = agent.client.getServerVersion() ?? { name: "", version: "" };
  screen.good(`${name} ${version} is ready after ${took(begin)}`);
  const { tools } = await agent.client.listTools();
  const names = tools.map((tool) => tool.name);
  screen.asks("tools/list");
  screen.shows(grouped(names).join("\n"));
  check(["sandboxed_shell", "await", "status", "cancel", "git_status"].every((tool) => names.includes(tool)), {
    good: `${names.length} tools; each one beyond the built-in four is an entry of a JSON file in tools/`,
    bad: `a tool is missing: ${names.join(" ")}`,
  }, screen);
}

async function callAndWait({ agent, screen }: Stage): Promise<void> {
  await agent.shell("git init -q -b main . && git add README.md");
  screen.asks('git_status {"short": true, "branch": true}');
  const begin = performance.now();
  const answer = await agent.call("git_status", { short: true, branch: true, execution_mode: "Synchronous" });
  screen.shows(answer.text);
  check(answer.succeeded && answer.text.includes("A  README.md"), {
    good: `answered after ${took(begin)}`,
    bad: "git does not show the file that was added",
  }, screen);
}

async function watch({ agent, screen }: Stage): Promise<void> {
  screen.asks('sandboxed_shell {"command": "sh build.sh", "execution_mode": "Synchronous"}');
  const begin = performance.now();
  const times: number[] = [];
  const args = { command: "sh build.sh", execution_mode: "Synchronous" };
  const answer = await agent.call("sandboxed_shell", args, (text) => {
    times.push(performance.now() - begin);
    screen.live(performance.now() - begin, text);
  });
  const spread = (times.at(-1) ?? 0) - (times.at(0) ?? 0);
  check(answer.succeeded && answer.text.includes("built 4 parts") && spread > 500, {
    good: `${times.length} messages while it ran, then the whole result`,
    bad: `the output did not come live (${times.length} messages within ${spread.toFixed(0)} ms)\n${answer.text}`,
  }, screen);
}

async function callAndGoOn({ agent, screen }: Stage): Promise<void> {
  screen.asks('sandboxed_shell {"command": "sh build.sh", "execution_mode": "AsyncResultPush"}');
  const begin = performance.now();
  const background = { command: "sh build.sh", execution_mode: "AsyncResultPush" };
  const started = await agent.call("sandboxed_shell", background);
  const answered = performance.now() - begin;
  screen.live(answered, firstLine(started));
  screen.asks("meanwhile: status");
  const status = await agent.call("status", { operation_id: started.operation });
  screen.live(performance.now() - begin, firstLine(status));
  screen.asks(`await {"operation_id": "${started.operation}"}`);
  const answer = await agent.call("await", { operation_id: started.operation }, (text) => {
    screen.live(performance.now() - begin, text);
  });
  screen.live(performance.now() - begin, answer.text.trimEnd().split("\n").at(-1) ?? "");
  check(started.operation !== "" && answered < 500 && answer.text.includes("built 4 parts"), {
    good: `the agent had its answer after ${answered.toFixed(1)} ms and was free for ${took(begin)}`,
    bad: `no id at once (${answered.toFixed(0)} ms), or no result`,
  }, screen);
}

async function tryToBreakOut({ agent, project, screen }: Stage): Promise<void> {
  const inside = await attempt(agent, screen, "echo allowed > inside.txt && cat inside.txt");
  check(inside.succeeded && inside.text.includes("allowed"), {
    good: "inside the project: allowed",
    bad: "a write inside failed",
  }, screen);
  await attempt(agent, screen, "echo planted > ../outside.txt");
  check(!exists(project.outside), { good: "outside: denied, and nothing is there", bad: "a file was planted" }, screen);
  await attempt(agent, screen, `ln -s .. way-out && echo planted > way-out/outside.txt`);
  check(!exists(project.outside), { good: "through a symlink: denied as well", bad: "a file was planted" }, screen);
  const stolen = await attempt(agent, screen, `cat ${project.secret}`);
  check(!stolen.succeeded && !stolen.text.includes("PRIVATE KEY"), {
    good: "the key in ~/.ssh stays unread",
    bad: "the key was read",
  }, screen);
}

async function cancel({ agent, project, screen }: Stage): Promise<void> {
  const command = "setsid sleep 300 & echo working; sleep 300";
  screen.asks(`sandboxed_shell {"command": "${command}", "execution_mode": "AsyncResultPush"}`);
  const { operation } = await agent.call("sandboxed_shell", { command, execution_mode: "AsyncResultPush" });
  const sleepers = async () => (await project.processes())?.filter((line) => line.startsWith("sleep 300"));
  // The two are there as soon as the shell has read its line; `await` gives it a second for that.
  await agent.call("await", { operation_id: operation, timeout_seconds: 1 });
  const before = await sleepers();
  if (before !== undefined) screen.shows(`${before.length} processes at work, one in a session of its own`);
  screen.asks(`cancel {"operation_id": "${operation}"}`);
  const begin = performance.now();
  const answer = await agent.call("cancel", { operation_id: operation, reason: "end of the demonstration" });
  const ended = took(begin);
  screen.shows(answer.text);
  const left = await sleepers();
  check(before?.length !== 0 && (left === undefined || left.length === 0), {
    good: `gone after ${ended}${left === undefined ? "" : ": no process is left"}`,
    bad: `there were ${before?.length} processes, and ${left?.length} are left`,
  }, screen);
}

async function attempt(agent: Agent, screen: Screen, command: string): Promise<Answer> {
  screen.asks(command);
  const answer = await agent.shell(command);
  const output = printed(answer).slice(0, 3);
  if (output.length > 0) screen.shows(output.join("\n"));
  return answer;
}

const BUILT_IN = ["sandboxed_shell", "await", "send", "status", "cancel"];
const LINE_WIDTH = 92;

/** One line for each program: its name, how many tools it has, and as many of them as fit. */
function grouped(names: readonly string[]): readonly string[] {
  const own = names.filter((name) => !BUILT_IN.includes(name));
  const byProgram = Map.groupBy(own, (name) => name.split("_", 1).join());
  const lines = Array.from(byProgram, ([program, tools]) => {
    const short = tools.map((name) => name.slice(program.length + 1) || name);
    return fitting(`${program.padEnd(11)} ${String(tools.length).padStart(3)}  `, short);
  });
  return [fitting(`${"built in".padEnd(11)} ${String(BUILT_IN.length).padStart(3)}  `, BUILT_IN), ...lines];
}

function fitting(head: string, words: readonly string[]): string {
  let line = head;
  for (const [index, word] of words.entries()) {
    if (line.length + word.length > LINE_WIDTH) return `${line}...`;
    line += index === words.length - 1 ? word : `${word} `;
  }
  return line;
}
