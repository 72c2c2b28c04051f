/** Protected paths around each line of a lasting shell (B5, S8). */
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import type { Looker } from "../../../sandbox/protect/guard_view.ts";
import type { OpenGuard } from "../../command_runner.ts";
import type { ShellGuard } from "../../open_shell/line_shell.ts";
import type { GuardedCommand, ProtectedState } from "./protected_state.ts";

export class ShellWatch implements ShellGuard, OpenGuard {
  readonly #state: ProtectedState;
  readonly #command: GuardedCommand;
  readonly #policy: SandboxPolicy;
  readonly #looker: Looker;
  /** What was mounted when the shell was launched. */
  readonly #mounts: string | undefined;
  /** Sockets of other programs that were covered then. */
  readonly #sockets: string | undefined;

  /** For a shell that was launched with `command` under `policy`. */
  constructor(state: ProtectedState, command: GuardedCommand, policy: SandboxPolicy, looker: Looker) {
    this.#state = state;
    this.#command = command;
    this.#policy = policy;
    this.#looker = looker;
    this.#mounts = command.view?.mounts;
    this.#sockets = command.view?.sockets;
  }

  async isCurrent(watched: boolean): Promise<boolean> {
    await this.#state.refresh();
    const view = this.#state.resume(this.#command, this.#policy, { watched });
    const isCovered = view.sockets === undefined || view.sockets === this.#sockets;
    return view.mounts === this.#mounts && isCovered && this.#policy.writable.every(({ path, device, inode }) => {
      const facts = this.#looker.lookAt(path);
      return facts !== undefined && facts.device === device && facts.inode === inode;
    });
  }

  rests(): void {
    this.#command.rests = true;
  }

  async begins(): Promise<void> {
    this.#command.rests = true;
    try {
      await this.#state.refresh();
      this.#state.look(this.#policy, this.#command); // what changed while it rested is of other programs
    } finally {
      this.#command.rests = false;
    }
  }

  async ends(...[onChange, rests]: Parameters<OpenGuard["ends"]>): Promise<void> {
    await this.#state.lineEnded(this.#command, this.#policy, onChange);
    this.#command.rests = rests();
  }
}
