/** A runner on a scope of its own, in each way commands can be confined and started. */
import type { CommandEnd } from "../../base/command/command_end.ts";
import { SILENT } from "../../base/log.ts";
import { sandboxSettings } from "../../sandbox/_support/settings.ts";
import { prepareSandbox, type Sandbox } from "../../sandbox/prepare_linux.ts";
import { removeSessionDirectories } from "../../sandbox/directories/session_directory.ts";
import type { CommandRequest } from "../command_runner.ts";
import { LinuxRunner } from "../linux/linux_runner.ts";
import type { SearchTimes } from "../linux/sockets/foreign_sockets.ts";
import { chooseShell } from "../shell.ts";

export interface Way {
  readonly name: string;
  readonly namespaces: boolean;
  readonly enforce: boolean;
  readonly pool: boolean;
  readonly reuse: boolean;
  readonly fork: boolean;
  /** Further variables of the server; absent: none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Of Landlock, as of an older kernel; absent: this one's. */
  readonly abi?: number;
  /** How long sockets of other programs are searched; absent: as usual. */
  readonly searchTimes?: SearchTimes;
}

export const DEFAULT_WAY: Way = {
  name: "with namespaces",
  namespaces: true,
  enforce: true,
  pool: true,
  reuse: true,
  fork: true,
};

/** Every way a command can be started: each must behave alike. */
export const WAYS: readonly Way[] = [
  DEFAULT_WAY,
  { ...DEFAULT_WAY, name: "with namespaces, a shell for each line", fork: false },
  { ...DEFAULT_WAY, name: "with namespaces, without reuse", reuse: false },
  { ...DEFAULT_WAY, name: "with namespaces, no pool", pool: false },
  { ...DEFAULT_WAY, name: "with Landlock alone", namespaces: false },
  { ...DEFAULT_WAY, name: "without a sandbox", namespaces: false, enforce: false },
];

export interface Fixture extends AsyncDisposable {
  readonly scope: string;
  readonly sandbox: Sandbox;
  readonly runner: LinuxRunner;
  run(run: CommandRequest["run"], more?: More): Promise<{ end: CommandEnd; output: string }>;
}

interface More {
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly directory?: string;
  readonly offline?: true;
  readonly signal?: AbortSignal;
  readonly onText?: (text: string) => void;
}

/** `reads`: names of files in the home directory, made here, that are granted with `--read`. */
export async function fixture(way: Way, reads: readonly string[] = []): Promise<Fixture> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const scope = `${base}/scope`;
  await Deno.mkdir(scope);
  await Deno.mkdir(`${base}/home`);
  const granted = reads.map((name) => `${base}/home/${name}`);
  for (const path of granted) await Deno.writeTextFile(path, "granted");
  const settings = sandboxSettings(base);
  const serverEnvironment = { ...settings.serverEnvironment, ...way.environment, SECRET_TOKEN: "s" };
  const prepared = prepareSandbox({ ...settings, reads: granted, enforce: way.enforce, serverEnvironment });
  if (!prepared.ok) throw new Error(prepared.problem);
  const sandbox = prepared.value.policy === undefined ? prepared.value : {
    ...prepared.value,
    policy: { ...prepared.value.policy, namespaces: way.namespaces, abi: way.abi ?? prepared.value.abi },
  };
  const shell = chooseShell(undefined, []);
  if (!shell.ok) throw new Error(shell.problem);
  const runner = new LinuxRunner({ sandbox, shell: shell.value, ...way, logger: SILENT });
  await runner.warmUp();
  const fixed: Fixture = {
    scope,
    sandbox,
    runner,
    async run(run, more = {}) {
      const decoder = new TextDecoder();
      let output = "";
      const request = {
        run,
        directory: more.directory ?? scope,
        environment: more.environment ?? {},
        stdin: more.stdin,
        ...more.offline && { offline: more.offline },
      };
      const end = await runner.run(request, {
        signal: more.signal ?? new AbortController().signal,
        onOutput: (chunk) => {
          const text = decoder.decode(chunk, { stream: true });
          output += text;
          more.onText?.(text);
        },
      });
      return { end, output };
    },
    async [Symbol.asyncDispose]() {
      await runner[Symbol.asyncDispose]();
      await removeSessionDirectories(sandbox.directories);
      await Deno.remove(base, { recursive: true });
    },
  };
  if (way.pool) await launchersWait(fixed);
  return fixed;
}

/** Launchers wait when a program has been run: the commands of a test are then handed to them. */
async function launchersWait({ run, runner }: Fixture): Promise<readonly number[]> {
  await run({ argv: ["true"] });
  await runner.settled();
  return await until(ownChildren, (children) => children.length >= WAITING);
}

/** Two launchers and one shell, for no line was run yet. */
export const WAITING = 3;

/** Looks again until it likes what it sees: the pools are filled again soon after an answer, not with it. */
export async function until<Value>(look: () => Value, isGood: (value: Value) => boolean): Promise<Value> {
  const end = performance.now() + 300_000;
  while (performance.now() < end) {
    const seen = look();
    if (isGood(seen)) return seen;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("Waited in vain");
}

/** Processes that this thread started and that are still there: other test files run in other threads of this process. */
export function ownChildren(): readonly number[] {
  return Deno.readTextFileSync("/proc/thread-self/children").split(" ").map(Number).filter((pid) => pid !== 0);
}

/** Bash: `below PID PATTERN` prints the children whose name and command line match; pgrep would read those of all processes. */
export const BELOW = "below() { local one; for one in $(</proc/$1/task/$1/children); do " +
  '[[ "$(</proc/$one/comm) $(</proc/$one/cmdline)" == $2 ]] && echo $one; done; } 2>/dev/null; ';

/** Processes whose command line holds `marker`; pgrep looks, because Deno shows /proc only to programs with every permission. */
export async function processesWith(marker: string): Promise<number> {
  const found = await new Deno.Command("pgrep", { args: ["-f", "-c", `^[^ ]*${marker}`] }).output();
  return Number(new TextDecoder().decode(found.stdout));
}
