/** An ssh agent of a bench's user, and ssh servers on 127.0.0.1 that stand for other machines. */
import { asUser } from "../../attacks/means/as_user.ts";
import { until, withDeadline } from "../deadline.ts";
import { exists, type User, Workbench } from "../workbench.ts";
import { listening } from "./listening.ts";

const DEADLINE_MS = 20_000;

/** Why there can be no ssh server here; undefined: there can. */
export function sshProblem(): string | undefined {
  return Deno.uid() === 0 ? undefined : "only root can log in to itself";
}

/** Runs a program outside as the bench's user; gives its stdout. */
export async function runAs(
  bench: Workbench,
  words: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [command, ...args] = asUser(bench.user, words);
  const running = new Deno.Command(command, {
    args,
    cwd: bench.scope,
    env: { HOME: bench.home, ...environment },
    stdin: "null",
  }).output();
  const { success, stdout, stderr } = await withDeadline(running, DEADLINE_MS, words.join(" "));
  if (!success) throw new Error(`${words.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** Makes a key of a kind as the bench's user, outside the scope; gives the path of the private half. */
export async function makeKey(bench: Workbench, name: string, kind = "ed25519"): Promise<string> {
  const path = `${bench.home}/.ssh/${name}`;
  const words = ["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", `${name} of me`, "-f", path] as const;
  await runAs(bench, kind === "rsa" ? [...words, "-b", "2048"] : [...words]);
  return path;
}

/** The agent of the bench's user; disposal ends it. */
export class UserAgent implements AsyncDisposable {
  readonly socket: string;
  readonly #bench: Workbench;
  readonly #child: Deno.ChildProcess;

  private constructor(bench: Workbench, socket: string, child: Deno.ChildProcess) {
    this.#bench = bench;
    this.socket = socket;
    this.#child = child;
  }

  static async start(bench: Workbench): Promise<UserAgent> {
    const socket = `${bench.elsewhere}/agent`;
    const [command, ...args] = asUser(bench.user, ["ssh-agent", "-D", "-a", socket]);
    const child = new Deno.Command(command, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn();
    await until(() => exists(socket), DEADLINE_MS, "the agent's socket");
    return new UserAgent(bench, socket, child);
  }

  async add(key: string): Promise<void> {
    await runAs(this.#bench, ["ssh-add", "-q", key], { SSH_AUTH_SOCK: this.socket });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }
}

export interface SshMachine extends AsyncDisposable {
  readonly port: number;
  /** Its private key; the public half has `.pub` behind it. */
  readonly keyFile: string;
  /** A line of a file of known hosts. */
  readonly known: string;
}

/** Starts a server where root logs in with any of the public keys. `kind`: of its own key. */
export async function startSshMachine(
  bench: Workbench,
  keys: readonly string[],
  kind = "ed25519",
): Promise<SshMachine> {
  const directory = await Deno.makeTempDir({ dir: bench.elsewhere, prefix: "sshd-" });
  const host = `${directory}/host`;
  const args = ["-q", "-N", "", "-C", "", "-f", host, "-t", ...kind.split(" ")];
  await new Deno.Command("ssh-keygen", { args, stdin: "null", stdout: "null" }).output();
  const authorized = await Promise.all(keys.map((key) => Deno.readTextFile(`${key}.pub`)));
  await Deno.writeTextFile(`${directory}/authorized`, authorized.join(""));
  const configuration = {
    HostKey: host,
    AuthorizedKeysFile: `${directory}/authorized`,
    PidFile: "none",
    UsePAM: "no",
    StrictModes: "no",
    PermitUserRC: "no",
    PermitRootLogin: "yes",
    AllowAgentForwarding: "yes",
    ListenAddress: "127.0.0.1",
    // What bash takes for a shell within another: it reads no file of root's at its start.
    SetEnv: "SHLVL=2",
  };
  const options = Object.entries(configuration).map(([name, value]) => `-o${name}=${value}`);
  await Deno.mkdir("/run/sshd", { recursive: true, mode: 0o755 });
  const server = await listening((port) => ["/usr/sbin/sshd", "-D", "-f", "/dev/null", `-p${port}`, ...options]);
  const known = `[127.0.0.1]:${server.port} ${(await Deno.readTextFile(`${host}.pub`)).trim()}`;
  return { port: server.port, keyFile: host, known, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** What a user has who logs in elsewhere. */
export interface Started {
  readonly bench: Workbench;
  readonly agent: UserAgent;
  /** Private halves: the chosen one, and another of the same agent. */
  readonly keys: readonly [string, string];
  readonly hosts: readonly SshMachine[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Hosts that both keys log in at, an agent with both keys, and known hosts. */
export async function withMachines(
  user: User,
  kinds: readonly string[],
  run: (started: Started) => Promise<void>,
): Promise<void> {
  using bench = new Workbench(user);
  await using stack = new AsyncDisposableStack();
  const agent = stack.use(await UserAgent.start(bench));
  // A key of RSA takes most of the time of all this.
  const other = kinds.some((kind) => kind.startsWith("rsa")) ? "rsa" : "ed25519";
  const keys = [await makeKey(bench, "chosen"), await makeKey(bench, "other", other)] as const;
  for (const key of keys) await agent.add(key);
  const hosts: SshMachine[] = [];
  for (const kind of kinds) hosts.push(stack.use(await startSshMachine(bench, keys, kind)));
  bench.write(`${bench.home}/.ssh/known_hosts`, hosts.map(({ known }) => `${known}\n`).join(""));
  await run({ bench, agent, keys, hosts, environment: { SSH_AUTH_SOCK: agent.socket } });
}
