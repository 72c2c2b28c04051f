/** Processes that try to outlive their operation. */
import { until, withDeadline } from "../../_support/deadline.ts";
import { killIfThere, processesWith } from "../../_support/processes.ts";
import type { ServerProcess } from "../../_support/server_process.ts";
import { exists } from "../../_support/workbench.ts";
import type { Scene, Way } from "../frame/attack.ts";
import { driven, newSeed, together, withServer } from "../frame/stage.ts";

/** How the operation comes to its end. */
export type End = "cancel" | "timeout" | "itself";

/** How the server does. */
export type ServerEnd = "SIGKILL of the server" | "two signals to the server";

/** A shell line that writes the file `ready` when its processes are there. They know themselves by `nap`, a command. */
export type Stubborn = (nap: string) => string;

/** What ends the server. Two of one kind could arrive as one, which leaves what runs its grace. */
const SIGNALS: Readonly<Record<ServerEnd, readonly Deno.Signal[]>> = {
  "SIGKILL of the server": ["SIGKILL"],
  "two signals to the server": ["SIGTERM", "SIGINT"],
};

/** Milliseconds after the end in which what ends must be gone, on a machine however busy; what is to live on lives longer. */
const GONE = 20_000;

/**
 * A chain of processes, each ending as the next begins, so that no look at /proc sees it. All of them hold one pipe
 * open, so that its end tells that none is left; the last one writes into it when it is told that it is enough.
 */
export function chainOutlives(): Way {
  return {
    does: driven(async (scene) => {
      await using chain = await Chain.wait(scene.directory);
      const { operation } = await scene.running.call("sandboxed_shell", {
        command: `${CHAIN} & sleep 60`,
        working_directory: scene.directory,
        execution_mode: "AsyncResultPush",
      });
      await chain.begins();
      await scene.running.call("cancel", { operation_id: operation?.operation_id ?? "" });
      return await chain.goesOn();
    }),
    control: driven(async ({ directory }) => {
      await using chain = await Chain.wait(directory);
      const child = new Deno.Command("bash", { args: ["-c", `${CHAIN} & sleep 60`], cwd: directory }).spawn();
      await chain.begins();
      child.kill("SIGKILL");
      await child.status;
      const achieved = await chain.goesOn();
      await endAll(directory);
      return achieved;
    }),
    aim: "evidence",
  };
}

const CHAIN = `python3 -IS -c 'import os, time
pipe = os.open("chain", os.O_WRONLY)
os.closerange(0, 3)
end = time.time() + 60
if os.fork(): os._exit(0)
os.setsid()
os.write(pipe, b"begun ")
while not os.path.exists("enough") and time.time() < end:
  if os.fork(): os._exit(0)
os.write(pipe, b"survived")'`;

/** What reads the pipe that the chain holds. */
class Chain implements AsyncDisposable {
  readonly #directory: string;
  readonly #reader: Deno.ChildProcess;
  readonly #texts: AsyncIterator<string>;
  #text = "";

  private constructor(directory: string, reader: Deno.ChildProcess) {
    this.#directory = directory;
    this.#reader = reader;
    this.#texts = reader.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  }

  /** Makes the pipe, for any user, and waits at it. */
  static async wait(directory: string): Promise<Chain> {
    const pipe = `${directory}/chain`;
    await new Deno.Command("mkfifo", { args: ["--mode=666", pipe] }).output();
    await Deno.chmod(pipe, 0o666);
    return new Chain(directory, new Deno.Command("cat", { args: [pipe], stdout: "piped" }).spawn());
  }

  async begins(): Promise<void> {
    const { value } = await withDeadline(this.#texts.next(), 20_000, "the chain to begin");
    this.#text = String(value);
  }

  /** Tells the chain to end and waits until its last process has gone; says whether one was there to be told. */
  async goesOn(): Promise<string | undefined> {
    await Deno.writeTextFile(`${this.#directory}/enough`, "");
    await withDeadline(this.#readAll(), 20_000, "the chain to be gone");
    return this.#text.includes("survived") ? "the chain went on" : undefined;
  }

  async #readAll(): Promise<void> {
    for await (const text of { [Symbol.asyncIterator]: () => this.#texts }) this.#text += text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    killIfThere(this.#reader.pid);
    await this.#reader.status;
  }
}

/** Whether anything of `command` lives on after its end; the control ends only the shell, as a careless server would. */
export function outlives(command: Stubborn, end: End): Way {
  return {
    does: driven((scene) => survivors(scene, command, end)),
    control: driven((scene) => survivorsOfTheShell(scene.directory, command, end)),
    aim: "evidence",
  };
}

/** Whether anything of these lives on after the end of their server; the control ends only the shell of each. */
export function outliveTheServer(commands: Readonly<Record<string, Stubborn>>, end: ServerEnd): Way {
  const placed = (scope: string) => {
    return Object.fromEntries(
      Object.entries(commands).map(([name, command], at) => {
        const directory = `${scope}/${at}`;
        Deno.mkdirSync(directory, { mode: 0o777 });
        Deno.chmodSync(directory, 0o777);
        return [name, { command, directory, seed: newSeed() }];
      }),
    );
  };
  return {
    does: driven((scene) =>
      withServer(scene, {}, async (server, bench) => {
        const started = placed(bench.scope);
        for (const { command, directory, seed } of Object.values(started)) {
          await start(server, { directory, line: command(`sleep 300.${seed}`), seed });
        }
        for (const signal of SIGNALS[end]) server.kill(signal);
        await server.exit();
        return await together(scene, started, ({ seed }) => leftOf(seed));
      })
    ),
    control: driven((scene) =>
      together(scene, placed(scene.directory), ({ command, directory }) => {
        return survivorsOfTheShell(directory, command, "cancel");
      })
    ),
    aim: "evidence",
  };
}

async function survivors(scene: Scene, command: Stubborn, end: End): Promise<string | undefined> {
  const seed = newSeed();
  const timeout_seconds = end === "timeout" ? 2 : 120;
  const line = command(`sleep 300.${seed}`);
  // One that ends by itself may be gone with all of its processes before a test sees them; the control has seen them.
  const seen = end === "itself" ? undefined : seed;
  const id = await start(scene.running, { directory: scene.directory, line, seed: seen, timeout_seconds });
  const options = { deadline: 60_000 };
  if (end === "cancel") await scene.running.call("cancel", { operation_id: id }, options);
  else await scene.running.call("await", { operation_id: id, timeout_seconds: 50 }, options);
  return await leftOf(seed);
}

interface Start {
  readonly directory: string;
  readonly line: string;
  /** In the command line of a process that must be seen; undefined: the line is ready when its file says so. */
  readonly seed: string | undefined;
  readonly timeout_seconds?: number;
}

async function start(server: ServerProcess, { directory, line, seed, timeout_seconds = 120 }: Start): Promise<string> {
  const { operation } = await server.call("sandboxed_shell", {
    command: line,
    working_directory: directory,
    timeout_seconds,
    execution_mode: "AsyncResultPush",
  });
  await isReady(directory, seed);
  return operation?.operation_id ?? "";
}

async function survivorsOfTheShell(directory: string, command: Stubborn, end: End): Promise<string | undefined> {
  const seed = newSeed();
  const child = new Deno.Command("bash", {
    args: ["-c", command(`sleep 300.${seed}`)],
    cwd: directory,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await isReady(directory, seed);
  if (end !== "itself") child.kill("SIGKILL");
  await withDeadline(child.status, 20_000, "the shell to end");
  // A process that becomes another program is seen as neither for a moment.
  const achieved = await until(() => leftOf(seed, 0), 20_000, `what outlives the shell of ${seed}`);
  await endAll(directory);
  return achieved;
}

/** Ends what a control started in its own directory. */
async function endAll(directory: string): Promise<void> {
  for (const { pid } of await processesWith(directory)) killIfThere(pid);
}

async function isReady(directory: string, seed: string | undefined): Promise<void> {
  await until(() => exists(`${directory}/ready`), 20_000, `the file "${directory}/ready"`);
  if (seed === undefined) return;
  await until(async () => (await processesWith(seed)).length > 0, 20_000, `a process with ${seed}`);
}

/** What is left when the time is over; it is ended then. */
async function leftOf(seed: string, patience = GONE): Promise<string | undefined> {
  const deadline = performance.now() + patience;
  let left = await processesWith(seed);
  while (left.length > 0 && performance.now() < deadline) left = await processesWith(seed);
  for (const { pid } of left) killIfThere(pid);
  return left.length === 0 ? undefined : `left are ${left.map(({ pid, command }) => `${pid} ${command}`).join(", ")}`;
}
