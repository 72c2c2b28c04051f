/** An innocent process outside the sandbox, of the user whose server is attacked. */
import { withDeadline } from "../../_support/deadline.ts";
import type { User } from "../../_support/workbench.ts";
import { asUser } from "./as_user.ts";

/**
 * What a command must not be able to change about it; printed by a shell, as the runtime keeps /proc shut. Pending
 * signals count: one that was sent shows before the process has taken it.
 */
const FACTS =
  `grep -E '^(State|TracerPid|Uid|Cpus_allowed|SigPnd|ShdPnd|SigBlk|Seccomp):' "/proc/$1/status" | sed 's/^State:.*[RSDI] (.*/State: alive/'
cat "/proc/$1/limits" "/proc/$1/oom_score_adj" "/proc/$1/timerslack_ns" 2>/dev/null
cut -d' ' -f 18,19,40,41 "/proc/$1/stat"`;

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
    const { stdout } = await new Deno.Command("sh", { args: ["-c", FACTS, "sh", String(this.pid)], stderr: "null" })
      .output();
    return new TextDecoder().decode(stdout);
  }
}
