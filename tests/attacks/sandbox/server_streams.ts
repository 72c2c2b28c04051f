/** P03, P07, P08: what runs beside a command, and the pipes between server and client. */
import { until } from "../../_support/deadline.ts";
import { processesWith } from "../../_support/processes.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { Workbench } from "../../_support/workbench.ts";
import { lineUnder } from "../means/unusual_start.ts";
import type { Driven, Scene, Way } from "../frame/attack.ts";
import { driven, newSeed, together } from "../frame/stage.ts";

/** A message that only a forger sends. */
const FORGED = "notifications/forged";

async function forge(scene: Scene, line: (server: ServerProcess) => string): Promise<Driven> {
  using bench = new Workbench(scene.user);
  await using server = await ServerProcess.start(bench, { flags: scene.enforced ? [] : ["--no-sandbox"] });
  const answer = await server.shell(line(server), { timeout_seconds: 20 });
  await server.request("ping");
  const seen = server.unclaimed.some(({ method }) => method === FORGED);
  return { answers: [answer], achieved: seen ? "the client got a message that the server did not send" : undefined };
}

const MESSAGE = `{"jsonrpc":"2.0","method":"${FORGED}"}`;

export function framesInto(): Readonly<Record<string, Way>> {
  const way = (line: (server: ServerProcess) => string): Way => ({
    does: { drive: (scene) => forge(scene, line) },
    needs: {
      machine: (user) =>
        user === "ordinary" && Deno.uid() === 0 ? "the pipes of a server that root started are root's" : undefined,
    },
  });
  return {
    "the server's stdout": way(({ pid }) => `echo '${MESSAGE}' > /proc/${pid}/fd/1`),
    "the descriptors of its parent": way(({ pid }) =>
      `for fd in /proc/$PPID/fd/1 /proc/$PPID/fd/2 /proc/${pid}/fd/1; do echo '${MESSAGE}' > $fd; done; true`
    ),
    "the terminal and what stands for stdout": {
      ...way(() =>
        `echo '${MESSAGE}' > /dev/stdout; echo '${MESSAGE}' > /dev/stderr; echo '${MESSAGE}' > /dev/fd/0; true`
      ),
      noControl: "a command's stdout is a pipe of its own without the sandbox too",
    },
  };
}

/** What attacks an operation, found by its words. */
const OPERATION_ATTACKS: Readonly<Record<string, Operation>> = {
  "kill, same session": { attack: (needle) => `pkill -9 -f ${needle}`, of: "session" },
  "kill, another server's": { attack: (needle) => `pkill -9 -f ${needle}`, of: "server" },
  "read the environment": {
    attack: (needle) => `cat /proc/$(pgrep -f ${needle} | head -n 1)/environ && pkill -f ${needle}`,
    of: "session",
  },
};

interface Operation {
  readonly attack: (needle: string) => string;
  /** Whose it is. */
  readonly of: "session" | "server";
}

/** A second operation of the same session, and one of another server, attacked from a first. */
export function otherOperation(): Readonly<Record<string, Way>> {
  return {
    "kill, same session and another server's; read the environment": {
      does: driven(async (scene) => {
        using bench = new Workbench(scene.user);
        using second = new Workbench(scene.user);
        const flags = scene.enforced ? [] : ["--no-sandbox"];
        await using server = await ServerProcess.start(bench, { flags });
        await using elsewhere = await ServerProcess.start(second, { flags });
        return await together(scene, OPERATION_ATTACKS, ({ attack, of }) => {
          return attackOther(server, attack, of === "session" ? [server, bench] : [elsewhere, second]);
        });
      }),
    },
  };
}

async function attackOther(
  server: ServerProcess,
  attack: (needle: string) => string,
  [runs, place]: readonly [ServerProcess, Workbench],
): Promise<string | undefined> {
  const pipe = `pipe-${newSeed()}`;
  const command = `mkfifo ${pipe}; exec cat ${pipe}`;
  const started = await runs.call("sandboxed_shell", { command, execution_mode: "AsyncResultPush" });
  await until(() => isRunning("cat", pipe), 20_000, "the other operation to be what the attack looks for");
  await server.shell(attack(`[c]at.${pipe}`));
  await tell(`${place.scope}/${pipe}`, "it lives\n");
  // It ends either way: of the attack, or of what it was told, which it repeats.
  const { text } = await runs.call("await", { operation_id: started.operation?.operation_id ?? "" });
  return text.includes("it lives") ? undefined : "the other operation was ended";
}

/** Whether a process has these two words, no more, as its command line. */
async function isRunning(program: string, word: string): Promise<boolean> {
  return (await processesWith(word)).some(({ command }) => command === `${program} ${word}`);
}

/** Writes into a pipe, whether it has a reader or not. */
async function tell(pipe: string, text: string): Promise<void> {
  using file = await Deno.open(pipe, { read: true, write: true });
  await file.write(new TextEncoder().encode(text));
}

/** P08: the server is started with a descriptor more, as an editor might; a command looks for it. */
export async function withALeak(scene: Scene): Promise<Driven> {
  using bench = new Workbench(scene.user);
  const text = await lineUnder(bench, {
    wrapper: ["bash", "-c", `exec 57< "${scene.secret}"; exec "$@"`, "bash"],
    line: () => "cat <&57; cat /proc/self/fd/57; ls -l /proc/self/fd",
    flags: [],
  });
  if (!text.includes('"id":2')) throw new Error(`The server did not answer: ${text}`);
  return { achieved: text.includes(scene.marker) ? "the descriptor reached the command" : undefined };
}
