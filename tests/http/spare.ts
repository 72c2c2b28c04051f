/** The process that waits for the next isolated session, and how it is told its scope. */
import assert from "node:assert/strict";
import type { PinnedDirectory } from "../../src/sandbox/policy/policy.ts";
import { scopeMessage } from "../../src/bridge/isolated/scope_message.ts";
import { withDeadline } from "../_support/deadline.ts";
import { HttpClient } from "../_support/clients/http_client.ts";
import { HttpServerProcess } from "../_support/servers/http_server.ts";
import { type RpcMessage, toolAnswer } from "../_support/json_rpc.ts";
import { readLines } from "../_support/line_reader.ts";
import { programStart } from "../_support/program.ts";
import { takeOwnRuntime } from "../_support/runtime.ts";
import { ORDINARY_ID, Workbench } from "../_support/workbench.ts";

const ISOLATED = "--session-isolation";
const AHEAD = "--await-scope=ahead";
const SHELL = "sandboxed_shell";

function rootIn(bench: Workbench, name: string): string {
  bench.write(`${name}/.keep`, "");
  return `${bench.scope}/${name}`;
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

async function namesIn(directory: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).toSorted();
}

/** Registers the last test of a file: it takes another runtime for the servers after it. */
export function testOwnRuntime(): void {
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
}
