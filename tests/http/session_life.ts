/** How long sessions of their own process last, and how their processes begin and end: at one server, which wants a token. */
import assert from "node:assert/strict";
import { until } from "../_support/deadline.ts";
import { HttpClient } from "../_support/clients/http_client.ts";
import type { HttpServerProcess } from "../_support/servers/http_server.ts";
import { processesWith, type SeenProcess } from "../_support/processes.ts";
import type { Workbench } from "../_support/workbench.ts";
import { testShort as test } from "./servers.ts";

const AHEAD = "--await-scope=ahead";

function rootIn(bench: Workbench, name: string): string {
  bench.write(`${name}/.keep`, "");
  return `${bench.scope}/${name}`;
}

/** The process of the session whose commands run in `root`. */
async function processOf(bench: Workbench, root: string): Promise<number | undefined> {
  const all = await processesWith(bench.marker);
  return all.find(({ command, directory }) => command.includes("--mode=stdio") && directory === root)?.pid;
}

async function tokenOf(bench: Workbench): Promise<string> {
  return (await Deno.readTextFile(`${bench.home}/.local/state/ahma/http_token`)).trim();
}

async function withToken(bench: Workbench): Promise<Readonly<Record<string, string>>> {
  return { authorization: `Bearer ${await tokenOf(bench)}` };
}

async function errorOf(client: HttpClient): Promise<string> {
  const { error } = await client.request("resources/list");
  return error?.message ?? "no error";
}

/** Processes that were started ahead: those in `/` still wait. */
async function startedAhead(bench: Workbench): Promise<readonly SeenProcess[]> {
  return (await processesWith(bench.marker)).filter(({ command }) => command.split(" ").includes(AHEAD));
}

async function waiting(bench: Workbench): Promise<SeenProcess | undefined> {
  const all = (await startedAhead(bench)).filter(({ directory }) => directory === "/");
  assert.ok(all.length <= 1, "one at a time");
  return all[0];
}

test("H8 X11 a session is in use while an operation of its process runs, and ends when no client comes for the result", async ({ bench, server }) => {
  const busy = rootIn(bench, "busy");
  const headers = await withToken(bench);
  const client = await HttpClient.connect(server, { roots: [busy], headers });
  await client.start("touch begun; until [ -e go ]; do sleep 0.5; done; echo finished > result");
  await bench.appears("busy/begun");
  await client[Symbol.asyncDispose]();
  // Sessions that begin later and do nothing come to their end meanwhile: so much time has gone by, at least.
  for (let round = 0; round < 2; round++) {
    const { session } = await HttpClient.connect(server, { roots: [busy], headers, listens: false });
    const hasEnded = () => server.stderr.includes(`Session ends {"httpSession":"${session.slice(0, 8)}"`);
    await until(hasEnded, 30_000, "the end of the idle session");
  }
  assert.notStrictEqual(await processOf(bench, busy), undefined);
  bench.write("busy/go", "");
  await bench.appears("busy/result");
  assert.match((await client.call("status")).text, /completed/);
  await until(async () => await processOf(bench, busy) === undefined, 30_000, "the end of the session that was busy");
});

test("H3 if the client does not negotiate its scope, waiting requests get an error that says what is missing", async ({ bench, server }) => {
  const headers = await withToken(bench);
  await using silent = await HttpClient.connect(server, { roots: [bench.scope], listens: false, headers });
  const unheard = errorOf(silent);
  await using deaf = await HttpClient.connect(server, { roots: [bench.scope], listens: false, headers });
  await deaf.notify("notifications/initialized");
  assert.match(await errorOf(deaf), /not answered roots\/list after 10 s.*GET/);
  assert.match(await unheard, /not sent notifications\/initialized after 10 s.*--handshake-timeout/);
  // And for good: a late answer changes nothing.
  await deaf.listen();
  assert.match(await errorOf(deaf), /not answered roots\/list/);
});

// The last one of this server.
test("N5 H1 H3 H8 H11 X14 one process waits for the next session, opens nothing of any session, and gives its place to another; no process is told the token, which the server card says is needed; a stop ends the sessions' processes with their grace", async ({ bench, server }) => {
  const root = rootIn(bench, "root");
  const token = await tokenOf(bench);
  const headers = await withToken(bench);
  await provesCard(server);
  const first = await until(() => waiting(bench), 30_000, "a process that waits");
  const open = (await namesIn(`/proc/${first.pid}/fd`)).map((name) => linkOf(`/proc/${first.pid}/fd/${name}`));
  assert.deepStrictEqual(open.filter((path) => path.startsWith(bench.scope)), []);
  assert.deepStrictEqual((await processesWith(bench.marker)).filter(({ directory }) => directory === root), []);
  await using client = await HttpClient.connect(server, { roots: [root], headers });
  assert.match((await client.shell("pwd")).text, new RegExp(`^${root}$`, "m"));
  const [session] = (await startedAhead(bench)).filter(({ directory }) => directory === root);
  assert.strictEqual(session?.pid, first.pid);
  const second = await until(() => waiting(bench), 30_000, "another process that waits");
  // One that was killed while it waited is not used: the next session gets its process all the same.
  Deno.kill(second.pid, "SIGKILL");
  await until(async () => await waiting(bench) === undefined, 30_000, "its end");
  await using other = await HttpClient.connect(server, { roots: [root], headers });
  assert.match((await other.shell("pwd")).text, new RegExp(`^${root}$`, "m"));
  const third = await until(() => waiting(bench), 30_000, "a process that waits, again");
  assert.ok(third.pid !== second.pid);
  assert.match((await other.shell("env")).text, /^HOME=/m);
  const pids = (await processesWith(bench.marker)).map(({ pid }) => pid);
  assert.ok(pids.length >= 3, String(pids.length));
  assert.deepStrictEqual(await processesWith(token), [], "in no command line and no environment");
  await stopsWithGrace(bench, other);
  assert.strictEqual(await processOf(bench, root), undefined);
});

/** The card itself needs no token. */
async function provesCard({ url }: HttpServerProcess): Promise<void> {
  const { remotes: [remote] } = await (await fetch(`${url}/server-card`)).json();
  assert.deepStrictEqual(remote.headers.map(({ description: _, ...one }: { description: string }) => one), [
    { name: "Authorization", isRequired: true, isSecret: true },
  ]);
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).toSorted();
}

function linkOf(path: string): string {
  try {
    return Deno.readLinkSync(path);
  } catch (thrown) {
    // The descriptor with which it was listed, or one that was closed since.
    if (thrown instanceof Deno.errors.NotFound) return "";
    throw thrown;
  }
}

/** The end of the server. */
async function stopsWithGrace(bench: Workbench, client: HttpClient): Promise<void> {
  const answer = client.shell("touch begun; until [ -e go ]; do sleep 0.05; done; echo finished");
  await bench.appears("root/begun");
  client.server.kill("SIGTERM");
  bench.write("root/go", "");
  assert.match((await answer).text, /finished/);
  assert.strictEqual((await client.server.exit()).code, 0);
}
