/** I: commands whose input stays open, and what others could give them or learn of them (X22). */
import { BOTH, type Row, type Scene, type Way } from "../frame/attack.ts";
import { HttpClient } from "../../_support/clients/http_client.ts";
import { HttpServerProcess } from "../../_support/servers/http_server.ts";
import { Workbench } from "../../_support/workbench.ts";
import { driven } from "../frame/stage.ts";
import { nameOf } from "./shell_sessions.ts";

/** Shell words for the processes of a command that was started with this variable. */
function processesOf(name: string): string {
  return `$(grep -lz '^PREY=${name}$' /proc/[0-9]*/environ 2>/dev/null)`;
}

/** Starts `prey` with its input open, then `thief`; gives the line of the prey that has the thief's word. */
async function nextTo(
  scene: Scene,
  { prey, thief, kind }: {
    readonly prey: string;
    readonly thief: (name: string) => string;
    readonly kind: "input" | "tty";
  },
): Promise<string> {
  const { running } = scene;
  const name = nameOf(scene);
  const started = await running.call("sandboxed_shell", { command: prey, [kind]: true, env: { PREY: name } });
  const id = /op_\w+/.exec(started.text)?.[0];
  await running.shell(thief(name));
  // Where it had an effect, the line comes; where it had none, the wait ends by itself.
  const forged = { operation_id: id, until: "forged", from_start: true, timeout_seconds: 1 };
  const { text } = await running.call("await", forged);
  await running.call("cancel", { operation_id: id });
  return text.split("\n").filter((line) => line.startsWith("> ")).join("\n");
}

function foundIn(pattern: RegExp, attempt: Parameters<typeof nextTo>[1]): ReturnType<typeof driven> {
  return driven(async (scene) => pattern.exec(await nextTo(scene, attempt))?.[0]);
}

/** A line on a terminal that pushes a word into its input (TIOCSTI), and shows what it reads then. */
const PUSHES = `stty -echo; /usr/bin/python3 -IS -c 'import fcntl
try: [fcntl.ioctl(0, 0x5412, bytes([one])) for one in b"forged\\n"]
except OSError: pass'; read -t 1 got; echo "read $got"`;

function pushable(): string | undefined {
  try {
    const isOn = Deno.readTextFileSync("/proc/sys/dev/tty/legacy_tiocsti").trim() === "1";
    return isOn ? undefined : "this kernel refuses TIOCSTI to every program";
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined; // older kernels always take it
    throw thrown;
  }
}

/** The questions that terminals answer, and what a program would read of an answer. */
const ASKS =
  `stty raw -echo; printf '\\033[c\\033[>c\\033[=c\\033[5n\\033[6n\\033[?6n\\033[>q\\033[21t\\033[18t\\033[?1$p'` +
  `; printf '\\033]10;?\\007\\033]11;?\\007\\033]4;1;?\\007\\033P$qm\\033\\\\\\033]52;c;?\\007\\033[?u\\033[x'; ` +
  `IFS= read -r -t 1 -n 1 got; stty sane; printf 'read %s\\n' "$(printf %s "$got" | od -An -tx1)"`;

async function onTerminal({ running }: Scene, command: string): Promise<string> {
  const { text } = await running.call("sandboxed_shell", { command, tty: true, until_quiet: 5 });
  return text;
}

/** What one HTTP session types into an operation of another one, known by its id; then the owner types into it too. */
function typedOverHttp(flags: readonly string[]): Way {
  const does = driven(async ({ user }) => {
    using bench = new Workbench(user);
    await using server = await HttpServerProcess.start(bench, { flags });
    await using owner = await HttpClient.connect(server, { roots: [bench.scope] });
    await using other = await HttpClient.connect(server, { roots: [bench.scope] });
    const { text } = await owner.call("sandboxed_shell", { command: "read line; echo got $line", tty: true });
    const id = /op_\w+/.exec(text)?.[0];
    if (id === undefined) throw new Error(text);
    await other.call("send", { operation_id: id, text: "forged\n" });
    await owner.call("send", { operation_id: id, text: "own\n" });
    const shown = await owner.call("await", { operation_id: id, until: "got", from_start: true, timeout_seconds: 20 });
    if (!/^(?:> )?got (?:forged|own)/m.test(shown.text)) throw new Error(`Nothing was typed: ${shown.text}`);
    return /^(?:> )?got forged/m.exec(shown.text)?.[0];
  });
  return { does, noControl: "the owner's typing is one, and the sandbox has no part in it" };
}

export const INPUT: readonly Row[] = [
  {
    id: "I01",
    title: "give a command input, or write on its terminal, from another command",
    users: BOTH,
    aim: "evidence",
    ways: {
      "through its pipe": {
        does: foundIn(/^> got forged/m, {
          kind: "input",
          prey: "read line; echo got $line; sleep 60",
          thief: (name) => `for one in ${processesOf(name)}; do echo forged >"\${one%/environ}/fd/0"; done; true`,
        }),
      },
      "on its terminal": {
        does: foundIn(/^> forged/m, {
          kind: "tty",
          prey: "echo begun; read line",
          thief: (name) => `for one in ${processesOf(name)}; do echo forged >"\${one%/environ}/fd/1"; done; true`,
        }),
      },
    },
  },
  {
    id: "I02",
    title: "push input into its own terminal with TIOCSTI",
    users: BOTH,
    aim: "evidence",
    ways: {
      "on its controlling terminal": {
        does: driven(async (scene) => /^read forged/m.exec(await onTerminal(scene, PUSHES))?.[0]),
        needs: { machine: pushable },
      },
    },
  },
  {
    id: "I03",
    title: "have the terminal type its answers to queries",
    users: BOTH,
    alikeForRoot: "the server's emulator answers no user's program",
    aim: "evidence",
    ways: {
      "attributes, places, colours, titles, settings, clipboard": {
        does: driven(async (scene) => /^read +[0-9a-f]{2}/m.exec(await onTerminal(scene, ASKS))?.[0]),
        noControl: "it is the server that would answer, with its sandbox or without",
      },
    },
  },
  {
    id: "I04",
    title: "type into an operation of another HTTP session, knowing its id",
    users: BOTH,
    alikeForRoot: "sessions are the server's matter, and not the kernel's",
    aim: "evidence",
    ways: {
      "sessions of one process": typedOverHttp([]),
      // Each is a process of its own, which tests/http/isolated_test.ts shows.
      "isolated sessions": { ...typedOverHttp(["--session-isolation"]), extended: true },
    },
  },
];
