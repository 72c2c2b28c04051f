/** An innocent process outside the sandbox, of the user whose server is attacked. */
import { withDeadline } from "../../_support/deadline.ts";
import type { User } from "../../_support/workbench.ts";
import { asUser } from "./as_user.ts";

/** Files below /proc/<pid> that show it; a program prints them, as the runtime keeps /proc shut. */
const FILES: readonly string[] = ["status", "limits", "oom_score_adj", "timerslack_ns", "stat"];

/**
 * What a command must not be able to change about it. Pending signals count: one that was sent shows before the process
 * has taken it.
 */
const FACT = /^(State|TracerPid|Uid|Cpus_allowed|SigPnd|ShdPnd|SigBlk|Seccomp):|^Max |^-?\d+$/;

/** Of `stat`: priority and niceness, real-time priority and policy. */
const PRIORITIES: readonly number[] = [17, 18, 39, 40];

export class Victim implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  #ended: string | undefined;
  #facts = "";

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    void child.status.then(({ code, signal }) => this.#ended = signal ?? `code ${code}`);
  }

  /** Starts it in `out`, with the secret open on descriptor 3 and the marker in its environment; waits until it runs. */
  static async start(user: User, { out, marker }: { readonly out: string; readonly marker: string }): Promise<Victim> {
    // The shell itself stays: a program it became would be there at a moment that nothing tells.
    const [command, ...args] = asUser(user, ["sh", "-c", "exec 3<secret; echo ready; read -r never"]);
    const child = new Deno.Command(command, {
      args,
      cwd: out,
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin", SECRET_OF_THE_VICTIM: marker },
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = child.stdout.getReader();
    await withDeadline(reader.read(), 10_000, "the victim to run");
    await reader.cancel();
    const victim = new Victim(child);
    victim.#facts = await victim.#look();
    return victim;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** What has been done to it since the start; undefined: nothing. */
  async harm(): Promise<string | undefined> {
    const facts = await this.#look();
    if (this.#ended !== undefined) return `it was ended: ${this.#ended}`;
    return facts === this.#facts ? undefined : `it was\n${this.#facts}\nand is\n${facts}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stdin.close();
    if (this.#ended === undefined) this.#child.kill("SIGKILL");
    await this.#child.status;
  }

  async #look(): Promise<string> {
    const args = FILES.map((name) => `/proc/${this.pid}/${name}`);
    const { stdout } = await new Deno.Command("cat", { args, stderr: "null" }).output();
    const lines = new TextDecoder().decode(stdout).split("\n").map((line) => {
      return line.replace(/^State:.*[RSDI] \(.*/, "State: alive");
    });
    const [fields = ""] = lines.filter((line) => /^\d+ \(/.test(line));
    const priorities = fields.split(" ").filter((_, index) => PRIORITIES.includes(index));
    return [...lines.filter((line) => FACT.test(line)), ...priorities].join("\n");
  }
}
