/** I: commands whose input stays open, and what others could give them or learn of them (X22). */
import { BOTH, type Row, type Scene } from "../frame/attack.ts";
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
];
