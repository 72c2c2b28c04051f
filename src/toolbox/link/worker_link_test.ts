/** The link with real workers, outside of a sandbox: tests/toolbox_test.ts has them inside. */
import assert from "node:assert/strict";
import { ignoreClosedPipe } from "../../base/errors.ts";
import { withTimeout } from "../../base/time.ts";
import { SILENT } from "../../base/log.ts";
import type { ChildServer, ChildServerHooks } from "../../child_server/child_server.ts";
import { endlessPdf } from "../files/_support/pdf_of.ts";
import { encodeFrame, FrameReader } from "../frame/frames.ts";
import type { FromWorker, ToWorker } from "../frame/messages.ts";
import { HELPER } from "../helper/_support/helpers.ts";
import { WorkerLink } from "./worker_link.ts";

const MAIN = new URL("../worker/worker.ts", import.meta.url).pathname;

interface Bench extends AsyncDisposable {
  readonly link: WorkerLink;
  readonly directory: string;
  /** All that were started, in order. */
  readonly started: Started[];
}

interface Started {
  readonly process: Deno.ChildProcess;
  readonly ended: Promise<string>;
  /** Resolves when it is asked to end. */
  readonly asked: Promise<void>;
}

async function bench(idleMs = 60_000, graceMs = 50): Promise<Bench> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  await Deno.writeTextFile(`${directory}/a.txt`, "one\ntwo\n");
  const started: Started[] = [];
  const start = ({ onOutput }: ChildServerHooks): Promise<ChildServer> => {
    const process = new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", "--no-check", MAIN],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const writer = process.stdin.getWriter();
    const reading = (async () => {
      for await (const chunk of process.stdout) await onOutput(chunk);
    })();
    const ended = (async () => {
      await reading;
      await writer.close().catch(ignoreClosedPipe);
      return (await process.status).signal ?? "exited";
    })();
    const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>();
    started.push({ process, ended, asked });
    return Promise.resolve({
      write: (bytes) => writer.write(bytes).catch(ignoreClosedPipe),
      askToEnd() {
        tellAsked();
        return writer.close().catch(ignoreClosedPipe);
      },
      kill() {
        try {
          process.kill("SIGKILL");
        } catch (thrown) {
          if (!(thrown instanceof TypeError)) throw thrown; // it has ended by itself
        }
      },
      ended,
    });
  };
  const setup = { scopes: [directory], readable: [], writable: [], helper: HELPER };
  const link = new WorkerLink({
    name: "project",
    open: () => Promise.resolve({ start, setup, [Symbol.asyncDispose]: () => Promise.resolve() }),
    idleMs,
    graceMs,
    log: SILENT,
  });
  return {
    link,
    directory,
    started,
    async [Symbol.asyncDispose]() {
      await link[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

const HOOKS = { signal: new AbortController().signal, onProgress: () => {} };

Deno.test("K2 a worker is started by the first call, kept, and ended when idle; the next call starts another", async () => {
  await using b = await bench(1);
  assert.equal(b.started.length, 0);
  assert.match(await text(b), /^.*two/s);
  await b.started[0]?.ended;
  assert.match(await text(b), /^.*two/s);
  assert.equal(b.started.length, 2);
});

Deno.test("K2 a call while its idle worker ends gets another, which is ended in turn", async () => {
  await using b = await bench(1);
  await text(b);
  const { process, asked, ended } = b.started[0] ?? assert.fail();
  process.kill("SIGSTOP");
  await asked;
  const answer = text(b);
  assert.equal(await ended, "SIGKILL");
  assert.match(await answer, /two/);
  assert.notEqual(await withTimeout(b.started[1]?.ended ?? assert.fail(), 300_000), undefined);
});

Deno.test("K2 a call whose worker dies is told so, and the next one works", async () => {
  await using b = await bench();
  await b.link.warmUp();
  const { process, ended } = b.started[0] ?? assert.fail();
  process.kill("SIGSTOP");
  const answer = text(b);
  process.kill("SIGKILL");
  await ended;
  assert.equal(
    await answer,
    '"files_read" has no result, because its worker is gone: SIGKILL\nThe next call starts a new one.',
  );
  assert.match(await text(b), /two/);
});

Deno.test("K2 a worker that does not obey a cancel is ended, and its other calls are told why", async () => {
  await using b = await bench();
  await b.link.warmUp();
  const { process, ended } = b.started[0] ?? assert.fail();
  process.kill("SIGSTOP");
  const cancel = new AbortController();
  const answer = b.link.call("files_read", { path: "a.txt" }, { ...HOOKS, signal: cancel.signal });
  const other = text(b);
  cancel.abort();
  const why = '"files_read" has no result, because its worker is gone: a cancelled call of "files_read" did not end ' +
    "within 0.05 s, so it was ended with all calls.\nThe next call starts a new one.";
  assert.deepEqual(await answer, { content: [{ type: "text", text: why }], isError: true });
  assert.equal(await other, why);
  assert.equal(await ended, "SIGKILL");
});

Deno.test("K2 K3 a cancelled call ends its helper, and the worker goes on with its other calls", async () => {
  await using b = await bench(60_000, 60_000);
  await Deno.writeTextFile(`${b.directory}/endless.pdf`, endlessPdf());
  const cancel = new AbortController();
  const read = b.link.call("files_read", { path: "endless.pdf" }, { ...HOOKS, signal: cancel.signal });
  const other = text(b);
  cancel.abort();
  assert.ok((await read).isError);
  for (const one of [await other, await text(b)]) assert.match(one, /two/);
  assert.equal(b.started.length, 1);
});

Deno.test("K2 a worker that took its last call is ended, and a call that it did not begin gets another", async () => {
  let workers = 0;
  const start = ({ onOutput }: ChildServerHooks): Promise<ChildServer> => {
    const worker = ++workers;
    const reader = new FrameReader();
    const ended = Promise.withResolvers<string>();
    const take = (message: ToWorker) => {
      if (message.kind !== "call" || worker === 1 && message.tool !== "first") return;
      const result = { content: [{ type: "text" as const, text: `worker ${worker}` }] };
      const last = worker === 1 ? { last: true as const } : {};
      void onOutput(encodeFrame({ kind: "result", id: message.id, result, ...last } satisfies FromWorker));
    };
    return Promise.resolve({
      write: (bytes) => Promise.resolve(reader.push(bytes).forEach((message) => take(message as ToWorker))),
      askToEnd: () => Promise.resolve(ended.resolve("It ended.")),
      kill() {},
      ended: ended.promise,
    });
  };
  const setup = { scopes: [], readable: [], writable: [] };
  const open = () => Promise.resolve({ start, setup, [Symbol.asyncDispose]: () => Promise.resolve() });
  await using link = new WorkerLink({ name: "project", open, idleMs: 60_000, graceMs: 60_000, log: SILENT });
  const answers = await Promise.all(["second", "first"].map((tool) => link.call(tool, {}, HOOKS)));
  assert.deepStrictEqual(answers, ["worker 2", "worker 1"].map((text) => ({ content: [{ type: "text", text }] })));
});

async function text({ link }: Bench): Promise<string> {
  const { content: [part] } = await link.call("files_read", { path: "a.txt" }, HOOKS);
  return part?.type === "text" ? part.text : "";
}

/** What the runtime says when a page takes all of a worker's memory. */
const CRASH = `
<--- Last few GCs --->

[16716:0x55df6b149000]     1491 ms: Mark-Compact (reduce) 99.4 (100.2) -> 99.4 (100.2) MB, pooled: 0.0 MB

#
# Fatal JavaScript out of memory: Reached heap limit
#
==== C stack trace ===============================

    deno(+0x28b0d2e) [0x55df4c75ed2e]
`;

Deno.test("K2 of a worker's last words the cause is told, and no addresses", async () => {
  const start = async ({ onErrorLine }: ChildServerHooks): Promise<ChildServer> => {
    const crash = new Deno.Command("sh", { args: ["-c", 'printf %s "$1" >&2; exit 5', "sh", CRASH] });
    const { code, stderr } = await crash.output();
    for (const line of new TextDecoder().decode(stderr).split("\n")) onErrorLine?.(line);
    const ended = Promise.resolve(`It ended with exit code ${code}.`);
    return { write: () => Promise.resolve(), askToEnd: () => Promise.resolve(), kill() {}, ended };
  };
  const setup = { scopes: [], readable: [], writable: [] };
  const open = () => Promise.resolve({ start, setup, [Symbol.asyncDispose]: () => Promise.resolve() });
  await using link = new WorkerLink({ name: "project", open, idleMs: 60_000, graceMs: 50, log: SILENT });
  const { content } = await link.call("files_read", {}, HOOKS);
  assert.deepStrictEqual(content, [{
    type: "text",
    text: '"files_read" has no result, because its worker is gone: It ended with exit code 5.\n' +
      "# Fatal JavaScript out of memory: Reached heap limit\nThe next call starts a new one.",
  }]);
});
