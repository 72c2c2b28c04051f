/** A process outside the sandbox that serves any process that reaches it: what an attack must not reach. */
import { withDeadline } from "../../_support/deadline.ts";
import type { ToolAnswer } from "../../_support/json_rpc.ts";
import { asUser } from "./as_user.ts";
import type { Driven, Scene } from "../frame/attack.ts";

export interface DaemonAttack {
  /** Python, run as the user of the server in `out`: prints a line when it is ready. */
  readonly program: string;
  /** The shell line that is run in the sandbox then, or what is done then. */
  readonly attack: string | (() => Promise<readonly ToolAnswer[]>);
}

/** Runs `attack` while the daemon waits, and ends the daemon. */
export async function withDaemon(scene: Scene, { program, attack }: DaemonAttack): Promise<Driven> {
  const [command, ...args] = asUser(scene.user, ["/usr/bin/python3", "-IS", "-c", program]);
  const child = new Deno.Command(command, { args, cwd: scene.out, stdin: "null", stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  try {
    await withDeadline(reader.read(), 10_000, "the daemon to be ready");
    const options = { working_directory: scene.directory, timeout_seconds: 20 };
    return { answers: typeof attack === "string" ? [await scene.running.shell(attack, options)] : await attack() };
  } finally {
    await reader.cancel();
    endIfThere(child);
    await child.status;
  }
}

function endIfThere(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // It has served and ended.
    if (!(error instanceof TypeError) && !(error instanceof Deno.errors.NotFound)) throw error;
  }
}
