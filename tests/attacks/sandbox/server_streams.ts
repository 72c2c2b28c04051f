/** P03, P07, P08: what runs beside a command, and the pipes between server and client. */
import { until } from "../../_support/deadline.ts";
import { processesWith } from "../../_support/processes.ts";
import { ServerProcess } from "../../_support/server_process.ts";
import { Workbench } from "../../_support/workbench.ts";
import { lineUnder } from "../means/unusual_start.ts";
import type { Driven, Scene, Way } from "../frame/attack.ts";
import { driven, newSeed, together } from "../frame/stage.ts";

interface Stream {
  /** Writes the message, in a shell, to the streams of the server of this process id. */
  readonly line: (message: string, server: number) => string;
  /** A command's stdout is a pipe of its own without the sandbox too. */
  readonly noControl?: true;
}

const STREAMS: Readonly<Record<string, Stream>> = {
  "the server's stdout": { line: (message, server) => `echo '${message}' > /proc/${server}/fd/1` },
  "the descriptors of its parent": {
    line: (message, server) =>
      `for fd in /proc/$PPID/fd/1 /proc/$PPID/fd/2 /proc/${server}/fd/1; do echo '${message}' > $fd; done; true`,
  },
  "the terminal and what stands for stdout": {
    line: (message) => `for fd in /dev/stdout /dev/stderr /dev/fd/0; do echo '${message}' > $fd; done; true`,
    noControl: true,
  },
};

/** Writes a message that only a forger sends; says whether the client got it. */
async function forge({ running, directory }: Scene, { line }: Stream): Promise<string | undefined> {
  const forged = `notifications/forged-${newSeed()}`;
  const command = line(JSON.stringify({ jsonrpc: "2.0", method: forged }), running.pid);
  await running.shell(command, { working_directory: directory, timeout_seconds: 20 });
  await running.request("ping");
  const seen = running.unclaimed.some(({ method }) => method === forged);
  return seen ? "the client got a message that the server did not send" : undefined;
}

export function framesInto(): Readonly<Record<string, Way>> {
  return {
    "the server's stdout, the descriptors of its parent, the terminal and what stands for stdout": {
      does: driven((scene) => {
        const tried = Object.entries(STREAMS).filter(([, { noControl }]) => scene.enforced || noControl === undefined);
        return together(scene, Object.fromEntries(tried), (stream) => forge(scene, stream));
      }),
      needs: {
        machine: (user) =>
          user === "ordinary" && Deno.uid() === 0 ? "the pipes of a server that root started are root's" : undefined,
      },
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
        const { running, directory } = scene;
        // Without the sandbox a line knows no difference: one session is enough.
        if (!scene.enforced) {
          return await together(scene, OPERATION_ATTACKS, ({ attack }) => {
            return attackOther(scene, attack, { server: running, place: directory });
          });
        }
        using bench = new Workbench(scene.user);
        await using elsewhere = await ServerProcess.start(bench);
        return await together(scene, OPERATION_ATTACKS, ({ attack, of }) => {
          const isHere = of === "session";
          const [server, place] = isHere ? [running, directory] : [elsewhere, bench.scope];
          return attackOther(scene, attack, { server, place });
        });
      }),
    },
  };
}

async function attackOther(
  { running, directory }: Scene,
  attack: (needle: string) => string,
  { server, place }: { readonly server: ServerProcess; readonly place: string },
): Promise<string | undefined> {
  const pipe = `pipe-${newSeed()}`;
  // Its own descriptor keeps what the pipe is told before it is read.
  const command = `mkfifo ${pipe}; exec 3<>${pipe}; exec sed 1q ${pipe}`;
  const started = await server.start(command, { working_directory: place });
  await until(() => isRead(pipe), 20_000, "the other operation to be what the attack looks for");
  await running.shell(attack(`[s]ed.1q.${pipe}`), { working_directory: directory });
  await tell(`${place}/${pipe}`, "it lives\n");
  // It ends either way: of the attack, or of what it was told, which it repeats.
  const { text } = await server.call("await", { operation_id: started.operation?.operation_id ?? "" });
  return text.includes("it lives") ? undefined : "the other operation was ended";
}

/** Whether the program that reads the pipe runs. */
async function isRead(pipe: string): Promise<boolean> {
  return (await processesWith(pipe)).some(({ command }) => command === `sed 1q ${pipe}`);
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
