/** The named shells of one connection (B5): each keeps its state from one call to the next, in its own sandbox. */
import { type CommandEnd, describeEnd, type LeftRunning } from "../../base/command/command_end.ts";
import { messageOf } from "../../base/errors.ts";
import type { Work, WorkControl } from "../../operation/operation.ts";
import type { OpenShell, SessionRunner } from "../../process/command_runner.ts";
import type { Scope } from "../../system/path_scope.ts";
import { shorten } from "../../base/visible_text.ts";
import { duration } from "../../base/time.ts";

export interface ConnectionShellsOptions {
  readonly runner: Pick<SessionRunner, "openShell" | "run">;
  /** Each begins in its first directory. */
  readonly scope: Pick<Scope, "roots">;
  /** A shell ends after this long without a call. */
  readonly settings: { readonly shellIdleMs: number };
}

/** Shells of one connection. */
const MOST_SHELLS = 8;
/** Names whose loss must still be reported. */
const MOST_LOST = 100;

interface NamedShell {
  readonly name: string;
  readonly shell: OpenShell;
  busy: boolean;
  usedAt: number;
  idle: ReturnType<typeof setTimeout> | undefined;
}

export interface ShellCall {
  readonly name: string;
  /** The line to run; undefined: the shell is only closed. */
  readonly line: string | undefined;
  /** The directory to change to first; undefined: none. */
  readonly directory: string | undefined;
  /** Exported before the line, and kept. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether the shell ends after it. */
  readonly close: boolean;
}

export class ConnectionShells {
  readonly #options: ConnectionShellsOptions;
  readonly #id = crypto.randomUUID();
  readonly #shells = new Map<string, NamedShell>();
  /** Why shells ended between calls; the next call of their name reports it. */
  readonly #lost = new Map<string, string>();

  constructor(options: ConnectionShellsOptions) {
    this.#options = options;
  }

  has(name: string): boolean {
    return this.#shells.has(name);
  }

  /** The open shells, with their current directories. */
  list(): readonly { readonly name: string; readonly directory: string }[] {
    return [...this.#shells.values()].map(({ name, shell: { directory } }) => ({ name, directory }));
  }

  /** A lock that makes the calls of one shell run one after the other. */
  exclusiveKey(name: string): string {
    return `shell ${this.#id} ${name}`;
  }

  /** Runs `call` in its turn. */
  work(call: ShellCall): Work {
    return async (control) => {
      try {
        return await this.#do(call, control);
      } catch (thrown) {
        if (!(thrown instanceof Error)) throw thrown;
        const message = `Cannot run in session "${call.name}": ${messageOf(thrown)}`;
        return { kind: "not_started", message, fault: "server" };
      }
    };
  }

  /** A line about each for `status`, under a heading; empty: there is none. */
  statusLines(): readonly string[] {
    const lines = [...this.#shells.values()].map(({ name, shell, busy, usedAt }) => {
      const state = busy ? "busy" : `idle for ${duration(Date.now() - usedAt)}`;
      const behind = shell.background();
      return `${name} ${state} in ${shorten(shell.directory)}${
        behind === undefined ? "" : `, in the background: ${namesOf(behind)}`
      }`;
    });
    return lines.length === 0 ? [] : ["Sessions of sandboxed_shell:", ...lines];
  }

  /** Ends all of them; settles when nothing remains. `killAfterMs`: from SIGTERM to SIGKILL; absent: as usual. */
  async close(killAfterMs?: number): Promise<void> {
    await Promise.all([...this.#shells.values()].map((one) => this.#end(one, killAfterMs)));
  }

  async #do(call: ShellCall, control: WorkControl): Promise<CommandEnd> {
    const notes: string[] = [];
    const { name, line } = call;
    if (line === undefined) {
      const known = this.#shells.get(name);
      const said = known === undefined ? `There is no session "${name}".` : await this.#closed(known);
      return { kind: "exited", code: 0, notes: [said] };
    }
    const named = await this.#enter(name, notes);
    try {
      const { left, ...end } = await this.#run(named, { ...call, line }, control);
      notes.push(...await this.#after(named, call, { left, stopped: control.signal.aborted }));
      return notes.length === 0 ? end : { ...end, notes };
    } finally {
      this.#rest(named);
    }
  }

  /** The shell of that name; a new one if none is usable. */
  async #enter(name: string, notes: string[]): Promise<NamedShell> {
    const known = this.#shells.get(name);
    if (known !== undefined) {
      known.busy = true;
      clearTimeout(known.idle);
      if (await this.#isCurrent(known)) return known;
      const { end } = known.shell;
      this.#lost.set(name, end === undefined ? "the protected paths or the scope changed" : describeEnd(end));
      await this.#end(known);
    }
    if (this.#shells.size >= MOST_SHELLS) {
      const names = [...this.#shells.keys()].join(", ");
      throw new Error(`${MOST_SHELLS} sessions are open (${names}), and more are not possible: end one with close`);
    }
    const shell = await this.#options.runner.openShell(this.#options.scope.roots[0] ?? "/");
    const named: NamedShell = { name, shell, busy: true, usedAt: Date.now(), idle: undefined };
    this.#shells.set(name, named);
    void shell.ended.then((end) => this.#noticeEnd(named, end));
    const reason = this.#lost.get(name);
    if (reason !== undefined) {
      notes.push(`Session "${name}" is a new shell: the state is lost (${withoutPeriod(reason)}).`);
    }
    this.#lost.delete(name);
    return named;
  }

  /** @throws {Error} When no command may run now; the shell is as it was. */
  async #isCurrent(known: NamedShell): Promise<boolean> {
    try {
      return await known.shell.isCurrent();
    } catch (thrown) {
      this.#rest(known);
      throw thrown;
    }
  }

  #run({ shell }: NamedShell, call: ShellCall & { line: string }, control: WorkControl): Promise<CommandEnd> {
    const { line, directory = shell.directory, environment } = call;
    const { operation } = control;
    return this.#options.runner.run(
      { run: { shell: line }, directory, environment, stdin: undefined, within: shell, operation },
      {
        signal: control.signal,
        onOutput: (chunk) => control.write(chunk),
        onProtectedChange: (changes) => control.protectedChanged(changes),
        onNetwork: (use) => control.connected(use),
        onRunning: (command) => control.running(command),
        person: control.person,
        say: (line) => control.say(line),
      },
    );
  }

  /** What happened to the shell during a call, if it must be reported. */
  async #after(
    named: NamedShell,
    { close }: ShellCall,
    { left, stopped }: { readonly left: LeftRunning | undefined; readonly stopped: boolean },
  ): Promise<readonly string[]> {
    const { name, shell } = named;
    if (shell.end !== undefined) {
      this.#forget(named);
      return [
        `Session "${name}" ended ${stopped ? "because the command did not stop" : "with its shell"}${endedWith(left)}.`,
      ];
    }
    if (close) return [await this.#closed(named)];
    return stopped ? [`Session "${name}" is kept.`] : [];
  }

  async #closed(named: NamedShell): Promise<string> {
    const left = named.shell.background();
    await this.#end(named);
    return `Session "${named.name}" is closed${endedWith(left)}.`;
  }

  async #end(named: NamedShell, killAfterMs?: number): Promise<void> {
    this.#forget(named);
    await named.shell.close(killAfterMs);
  }

  #forget(named: NamedShell): void {
    clearTimeout(named.idle);
    if (this.#shells.get(named.name) === named) this.#shells.delete(named.name);
  }

  #rest(named: NamedShell): void {
    named.busy = false;
    named.usedAt = Date.now();
    if (this.#shells.get(named.name) !== named) return;
    named.idle = setTimeout(() => {
      this.#remember(named.name, `it was idle for ${duration(this.#options.settings.shellIdleMs)}`);
      void this.#end(named);
    }, this.#options.settings.shellIdleMs);
  }

  #noticeEnd(named: NamedShell, end: CommandEnd): void {
    if (named.busy || this.#shells.get(named.name) !== named) return;
    this.#remember(named.name, describeEnd(end));
    this.#forget(named);
  }

  #remember(name: string, reason: string): void {
    const [oldest] = this.#lost.keys();
    if (this.#lost.size >= MOST_LOST && oldest !== undefined) this.#lost.delete(oldest);
    this.#lost.set(name, reason);
  }
}

function endedWith(left: LeftRunning | undefined): string {
  return left === undefined ? "" : `; ended with it: ${namesOf(left)}`;
}

function namesOf({ commands, more }: LeftRunning): string {
  return `${commands.join("; ")}${more === 0 ? "" : ` and ${more} more`}`;
}

function withoutPeriod(sentence: string): string {
  return sentence.replace(/[.]$/, "").replace(/^It /, "it ");
}
