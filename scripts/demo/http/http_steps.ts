import { exists } from "../../../tests/_support/workbench.ts";
import { Agent } from "../../client/agent.ts";
import type { HttpServer } from "../../client/http_server.ts";
import { check, firstLine, printed, took } from "../checks.ts";
import { INITIALIZE, ping, raw } from "./http_wire.ts";
import type { Project } from "../project.ts";
import type { Screen } from "../screen.ts";
import type { Step } from "../show.ts";

/** What a step works with. */
export interface HttpStage {
  readonly server: HttpServer;
  readonly project: Project;
  readonly screen: Screen;
  /** The agents of the first step, each with its directory; the first two have sessions. */
  readonly agents: { readonly agent: Agent; readonly root: string }[];
}

/** The demonstration, in order. */
export const HTTP_STEPS: readonly Step<HttpStage>[] = [
  { title: "One server, two agents, a directory for each", play: connect },
  { title: "The same relative file: each lands in its own directory", play: writeTheSame },
  { title: "Neither reaches the other's", play: reachOver },
  { title: "Live progress, for both at once", play: watchBoth },
  { title: "A stateless agent (2026-07-28), at the same address", play: connectStateless },
  { title: "A session's process is killed, and comes back", play: killAndGoOn },
  { title: "Who may come: other hosts, other pages and other directories are turned away", play: knock },
  { title: "The end: what runs may finish", play: end },
];

async function connect({ server, project, screen, agents }: HttpStage): Promise<void> {
  const begin = performance.now();
  const url = await server.address;
  screen.good(`the server listens on ${url.host} after ${took(begin)}`);
  for (const name of ["alpha", "beta"]) {
    const root = project.make(name);
    const connecting = performance.now();
    const agent = Agent.http(url, { name, root });
    await agent.connect();
    agents.push({ agent, root });
    screen.asks(`${name}: initialize, roots: ${short(project, root)}`);
    const first = await agent.shell("pwd");
    check(first.text.includes(root), {
      good: `${name} works in ${short(project, root)} (protocol ${agent.version}), ${took(connecting)} after hello`,
      bad: `${name} got another place:\n${first.text}`,
    }, screen);
  }
  const [one, two] = agents;
  check(one?.agent.session !== undefined && one.agent.session !== two?.agent.session, {
    good: "each has a session of its own",
    bad: "the sessions are not two",
  }, screen);
  await checkProcesses({ project, screen, agents });
}

async function checkProcesses({ project, screen, agents }: Omit<HttpStage, "server">): Promise<void> {
  const pids = await Promise.all(agents.map(({ root }) => project.sessionProcess(root)));
  check(new Set(pids).size === 2 && !pids.includes(undefined), {
    good: `and a process of its own, born with its directory as the scope: ${pids.join(" and ")}`,
    bad: `the processes are ${pids.join(" and ")}`,
  }, screen);
}

async function writeTheSame({ screen, project, agents }: HttpStage): Promise<void> {
  await Promise.all(agents.map(async ({ agent }) => {
    screen.asks(`${agent.name}: echo "from ${agent.name}" > notes.txt`);
    await agent.shell(`echo "from ${agent.name}" > notes.txt`);
  }));
  for (const { agent, root } of agents) {
    const text = await Deno.readTextFile(`${root}/notes.txt`);
    check(text === `from ${agent.name}\n`, {
      good: `${short(project, root)}/notes.txt: ${text.trimEnd()}`,
      bad: `${root}/notes.txt holds ${JSON.stringify(text)}`,
    }, screen);
  }
}

async function reachOver({ screen, project, agents }: HttpStage): Promise<void> {
  for (const [index, { agent }] of agents.entries()) {
    const other = agents[1 - index]?.root ?? "";
    for (const command of [`cat ${other}/notes.txt`, `echo planted > ${other}/planted.txt`]) {
      screen.asks(`${agent.name}: ${command.replace(other, short(project, other))}`);
      const answer = await agent.shell(command);
      const said = printed(answer).filter((line) => line.includes(other)).map((line) => line.replace(/.*: /, ""));
      check(!answer.succeeded && !answer.text.includes("from ") && !exists(`${other}/planted.txt`), {
        good: `denied by the kernel: ${said[0] ?? "no such place"}`,
        bad: `${agent.name} reached ${other}:\n${answer.text}`,
      }, screen);
    }
  }
}

async function watchBoth({ screen, agents }: HttpStage): Promise<void> {
  const begin = performance.now();
  await Promise.all(agents.map(async ({ agent }) => {
    const heard: string[] = [];
    const times: number[] = [];
    screen.asks(`${agent.name}: a build of four parts`);
    const parts = `for part in 1 2 3 4; do echo "${agent.name} builds part $part"; sleep 0.4; done`;
    const answer = await agent.shell(parts, (text) => {
      heard.push(text);
      times.push(performance.now() - begin);
      screen.live(performance.now() - begin, text);
    });
    const spread = (times.at(-1) ?? 0) - (times[0] ?? 0);
    const all = `${heard.join("\n")}\n${answer.text}`;
    const stranger = agents.find((one) => one.agent !== agent)?.agent.name ?? "";
    check(spread > 300 && answer.text.includes("builds part 4") && !all.includes(stranger), {
      good: `${agent.name}: ${times.length} messages of its own while it ran, then the whole result`,
      bad: `${agent.name}: not live (${times.length} within ${spread.toFixed(0)} ms), or not its own:\n${all}`,
    }, screen);
  }));
}

async function connectStateless({ server, project, screen }: HttpStage): Promise<void> {
  await using agent = Agent.http(await server.address, { name: "gamma", root: undefined });
  await agent.connect();
  screen.asks("gamma: server/discover, then tools/call; no initialize, no session");
  const answer = await agent.shell("pwd; ls");
  screen.shows(`${printed(answer).join(" ").replace(project.directory, ".")}`);
  check(agent.session === undefined && agent.version === "2026-07-28" && answer.text.includes("alpha"), {
    good: `protocol ${agent.version}; without roots of its own it works in --sandbox-scope`,
    bad: `session ${agent.session}, protocol ${agent.version}:\n${answer.text}`,
  }, screen);
}

async function killAndGoOn({ screen, project, agents }: HttpStage): Promise<void> {
  const [one] = agents;
  if (one === undefined) throw new Error("There is no agent");
  const before = await project.sessionProcess(one.root);
  if (before === undefined) throw new Error("The session has no process");
  const command = "echo at work; sleep 300";
  screen.asks(`${one.agent.name}: ${command}`);
  const { promise: working, resolve } = Promise.withResolvers<void>();
  const lost = one.agent.shell(command, () => resolve()).then(firstLine, (error: Error) => error.message);
  await Promise.race([working, lost]);
  Deno.kill(before, "SIGKILL");
  screen.asks(`kill -9 ${before}`);
  const error = await lost;
  check(/ended while this request ran/.test(error), { good: `told: ${error}`, bad: `not told: ${error}` }, screen);
  const begin = performance.now();
  screen.asks(`${one.agent.name}, in the same session: pwd; cat notes.txt`);
  const answer = await one.agent.shell("pwd; cat notes.txt");
  const after = await project.sessionProcess(one.root);
  check(answer.text.includes(`${one.root}\nfrom ${one.agent.name}`) && after !== undefined && after !== before, {
    good: `served after ${took(begin)} by process ${after}, in the same scope`,
    bad: `process ${after}:\n${answer.text}`,
  }, screen);
  await project.isRidOf((line) => line.startsWith("sleep 300"));
  screen.good("nothing of the killed one is left");
}

async function knock({ server, project, screen }: HttpStage): Promise<void> {
  const url = await server.address;
  const rows: readonly (readonly [words: string, headers: string, status: number])[] = [
    [`Host: ${url.host}`, `Host: ${url.host}`, 200],
    ["Host: evil.example (DNS rebinding)", "Host: evil.example", 403],
    ["Origin: http://evil.example (a page in a browser)", `Host: ${url.host}\r\nOrigin: http://evil.example`, 403],
  ];
  for (const [words, headers, status] of rows) {
    screen.asks(`POST /mcp, ${words}`);
    const answer = await raw(url, headers, INITIALIZE);
    screen.shows(answer.status === 200 ? "200" : `${answer.status} ${answer.message}`);
    check(answer.status === status, {
      good: status === 200 ? "served" : "turned away",
      bad: `${status} was expected`,
    }, screen);
  }
  const stale = await raw(url, `Host: ${url.host}\r\nMcp-Session-Id: no-such-session`, ping());
  check(stale.status === 404, { good: "an unknown session: 404", bad: `unknown session: ${stale.status}` }, screen);
  await using greedy = Agent.http(url, { name: "delta", root: project.home });
  await greedy.connect();
  screen.asks("delta: roots: the home directory");
  const refused = await greedy.shell("ls -a").then(firstLine, (error: Error) => error.message);
  const reason = refused.replaceAll(`${project.home}`, "~").replaceAll(project.directory, ".");
  check(/home directory|outside/.test(refused), { good: `refused: ${reason}`, bad: refused }, screen);
}

async function end({ server, project, screen, agents }: HttpStage): Promise<void> {
  const agent = agents[1]?.agent;
  if (agent === undefined) throw new Error("There is no agent");
  screen.asks("beta: a last command; and while it runs, the server is told to stop (SIGTERM)");
  const begin = performance.now();
  const { promise: working, resolve } = Promise.withResolvers<void>();
  const last = agent.shell("echo begun; sleep 1; echo finished", (text) => {
    screen.live(performance.now() - begin, text);
    resolve();
  });
  await Promise.race([working, last]);
  server.kill();
  const answer = await last;
  check(answer.text.includes("begun\nfinished"), {
    good: "the command finished and its answer came",
    bad: answer.text,
  }, screen);
  const { code } = await server.exit();
  check(code === 0, {
    good: `the server ended after ${took(begin)} with exit code 0`,
    bad: `exit code ${code}`,
  }, screen);
  await project.isRidOf(() => true);
  screen.good("no process is left");
}

function short(project: Project, path: string): string {
  return path.replace(project.directory, ".");
}
