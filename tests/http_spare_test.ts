/** The process that waits for the next isolated session, and how it is told its scope. */
import assert from "node:assert/strict";
import type { PinnedDirectory } from "../src/sandbox/policy/policy.ts";
import { scopeMessage } from "../src/bridge/isolated/scope_message.ts";
import { until, withDeadline } from "./_support/deadline.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { type RpcMessage, toolAnswer } from "./_support/json_rpc.ts";
import { readLines } from "./_support/line_reader.ts";
import { processesWith, type SeenProcess } from "./_support/processes.ts";
import { programStart } from "./_support/program.ts";
import { takeOwnRuntime } from "./_support/runtime.ts";
import { ORDINARY_ID, Workbench } from "./_support/workbench.ts";

const ISOLATED = "--session-isolation";
const AHEAD = "--await-scope=ahead";
const SHELL = "sandboxed_shell";

function rootIn(bench: Workbench, name: string): string {
  bench.write(`${name}/.keep`, "");
  return `${bench.scope}/${name}`;
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

/** A process that waits for its scope, with nothing between the test and its stdin. */
class AwaitingProcess implements AsyncDisposable {
  readonly child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #reading: Promise<unknown>;
  readonly #answers = new Map<number, (message: RpcMessage) => void>();
  readonly #unasked: ((message: RpcMessage) => void)[] = [];
  #lastId = 0;
  #stderr = "";

  constructor(bench: Workbench) {
    const { command, args, environment } = programStart(bench, [AHEAD, "--mode=stdio"]);
    this.child = new Deno.Command(command, {
      args: [...args],
      cwd: "/",
      clearEnv: true,
      env: { ...environment },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#writer = this.child.stdin.getWriter();
    this.#reading = Promise.all([
      readLines(this.child.stdout, (line) => {
        const message: RpcMessage = JSON.parse(line);
        if (typeof message.id === "number") this.#answers.get(message.id)?.(message);
        else this.#unasked.shift()?.(message);
      }),
      readLines(this.child.stderr, (line) => this.#stderr += `${line}\n`),
    ]);
  }

  /** How it ended, and everything it wrote to stderr. */
  async end(): Promise<{ readonly code: number; readonly stderr: string }> {
    const { code } = await withDeadline(this.child.status, 30_000, "the end of the process");
    await this.#reading;
    return { code, stderr: this.#stderr };
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#writer.write(bytes);
  }

  /** The next message that answers no id: an error about a line that is no message. */
  nextUnasked(): Promise<RpcMessage> {
    const { promise, resolve } = Promise.withResolvers<RpcMessage>();
    this.#unasked.push(resolve);
    return withDeadline(promise, 30_000, "a message");
  }

  async request(method: string, params: object): Promise<RpcMessage> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<RpcMessage>();
    this.#answers.set(id, resolve);
    await this.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`));
    return await withDeadline(promise, 30_000, `the answer to ${method}`);
  }

  async shell(command: string): Promise<string> {
    const args = { command, execution_mode: "Synchronous" };
    return toolAnswer(await this.request("tools/call", { name: SHELL, arguments: args })).text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch((thrown) => {
      // It has ended by itself.
      if (!(thrown instanceof TypeError || thrown instanceof Deno.errors.BrokenPipe)) throw thrown;
    });
    await withDeadline(this.child.status, 30_000, "the end of the process");
    await this.#reading;
  }
}

Deno.test("H3 S1 a process accepts its scope once, and later messages of the same form change nothing", async () => {
  using bench = new Workbench("ordinary");
  const [one, two] = [rootIn(bench, "one"), rootIn(bench, "two")];
  await using process = new AwaitingProcess(bench);
  await process.write(scopeMessage([pinned(one)]));
  const clientInfo = { name: "test", version: "1" };
  await process.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  assert.match(await process.shell("pwd; echo x > written"), new RegExp(`^${one}$`, "m"));
  for (const again of [scopeMessage([pinned(two)]), scopeMessage([pinned(two), pinned(one)])]) {
    const refused = process.nextUnasked();
    await process.write(again);
    await process.write(new TextEncoder().encode("\n"));
    assert.strictEqual((await refused).error?.code, -32700);
    assert.match(
      await process.shell(`pwd; echo x > ${two}/written`),
      new RegExp(`^${one}\n.*(Permission|No such|Read-only)`, "s"),
    );
  }
  assert.deepStrictEqual(await namesIn(two), [".keep"]);
  // The control: the other directory would have been taken in the first place.
  await using other = new AwaitingProcess(bench);
  await other.write(scopeMessage([pinned(two)]));
  await other.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  assert.match(await other.shell("pwd; echo x > written"), new RegExp(`^${two}$`, "m"));
  assert.deepStrictEqual(await namesIn(two), [".keep", "written"]);
});

/** As the bridge has found it. */
function pinned(path: string): PinnedDirectory {
  const { dev, ino } = Deno.statSync(path);
  return { path, device: BigInt(dev), inode: BigInt(ino ?? 0) };
}

Deno.test("H3 S1 a process refuses a directory that replaced its scope", async () => {
  using bench = new Workbench();
  const [one, two] = [rootIn(bench, "one"), rootIn(bench, "two")];
  const settled = pinned(one);
  await Deno.rename(one, `${one}.old`);
  await Deno.symlink(two, one);
  await using process = new AwaitingProcess(bench);
  await process.write(scopeMessage([settled]));
  const { code, stderr } = await process.end();
  assert.strictEqual(code, 1);
  assert.match(stderr, new RegExp(`"${one}" was replaced by another`));
});

Deno.test("H3 a process that waits for its scope ends with its stdin, and refuses any other message", async () => {
  using bench = new Workbench();
  {
    await using process = new AwaitingProcess(bench);
    await process[Symbol.asyncDispose]();
    assert.deepStrictEqual((await process.child.status).code, 0);
  }
  await using process = new AwaitingProcess(bench);
  await process.write(new TextEncoder().encode(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n`));
  assert.strictEqual((await withDeadline(process.child.status, 30_000, "the refusal")).code, 2);
});

Deno.test("N5 H1 H3 H8 one process waits for the next session, opens nothing of any session, and gives its place to another; no process is told the token, which the server card says is needed", async () => {
  using bench = new Workbench();
  const root = rootIn(bench, "root");
  await using server = await HttpServerProcess.start(bench, { flags: [ISOLATED, "--require-token"] });
  const token = (await Deno.readTextFile(`${bench.home}/.local/state/ahma/http_token`)).trim();
  const headers = { authorization: `Bearer ${token}` };
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
});

/** The card itself needs no token. */
async function provesCard({ url }: HttpServerProcess): Promise<void> {
  const { remotes: [remote] } = await (await fetch(`${url}/server-card`)).json();
  assert.deepStrictEqual(remote.headers.map(({ description: _, ...one }: { description: string }) => one), [
    { name: "Authorization", isRequired: true, isSecret: true },
  ]);
  // Without a scope of the server's own, only sessions are served there.
  assert.strictEqual(remote.supportedProtocolVersions.at(-1), "2025-11-25");
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

Deno.test({
  name: "S8 H3 a session whose scope holds the runtime and the program cannot change them" +
    (Deno.uid() === 0 ? "" : " (ignored: only root can give the program's directory to another user)"),
  ignore: Deno.uid() !== 0,
  async fn() {
    const { bundle } = takeOwnRuntime("ordinary");
    using bench = new Workbench("ordinary");
    await using server = await HttpServerProcess.start(bench, { flags: [ISOLATED, "--max-sessions", "1"] });
    const program = bundle.slice(0, bundle.lastIndexOf("/"));
    // Not the runtime in it, which may be a hard link to that of the system; its directory is the user's all the same.
    for (const path of [program, `${program}/ahma_mcp.mjs`]) await Deno.chown(path, ORDINARY_ID, ORDINARY_ID);
    const before = await Deno.stat(`${program}/ahma_mcp.mjs`);
    await using client = await HttpClient.connect(server, { roots: [program] });
    const { text } = await client.shell(
      "echo x > other && echo control $?; for f in deno ahma_mcp.mjs; do echo x >> $f || echo kept $f; " +
        "mv $f away || echo held $f; rm -f $f || echo left $f; done; true",
    );
    for (const fact of ["control 0", "held deno", "left deno", "kept ahma_mcp.mjs", "held ahma_mcp.mjs"]) {
      assert.match(text, new RegExp(fact), text);
    }
    assert.deepStrictEqual(await namesIn(program), ["ahma_mcp.mjs", "deno", "other", "worker"]);
    assert.strictEqual((await Deno.stat(`${program}/ahma_mcp.mjs`)).size, before.size);
  },
});
