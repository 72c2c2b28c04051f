/** An ssh server on 127.0.0.1, which stands for another machine, and an account that may log in to it. */
import { listening } from "../_support/servers/listening.ts";
import { exists, type Workbench } from "../_support/workbench.ts";

const SSHD = "/usr/sbin/sshd";

/** Why there can be none here; undefined: there can. */
export function machineProblem(): string | undefined {
  if (Deno.uid() !== 0) return "only root can log in to itself";
  return exists(SSHD) ? undefined : "openssh-server is not installed";
}

/** The machine until it is disposed of. */
export interface OtherMachine extends AsyncDisposable {
  /** Where it listens. Root logs in with the key in the file `user` of its directory. */
  readonly port: number;
  /**
   * Gives the account of the bench's home the name `other` for it, and a key.
   *
   * @returns words that start a program to which that home is the user's, as ssh asks for it: not by a variable
   */
  readonly admit: (bench: Workbench) => Promise<readonly string[]>;
}

/** Starts it, with keys made for it in the directory. */
export async function startMachine(directory: string): Promise<OtherMachine> {
  const keys = { host: await makeKey(`${directory}/host`), user: await makeKey(`${directory}/user`) };
  const configuration = {
    HostKey: `${directory}/host`,
    AuthorizedKeysFile: `${directory}/user.pub`,
    PidFile: "none",
    UsePAM: "no",
    StrictModes: "no",
    PermitUserRC: "no",
    Subsystem: "sftp internal-sftp",
  };
  const options = Object.entries(configuration).map(([name, value]) => `-o${name}=${value}`);
  await Deno.mkdir("/run/sshd", { recursive: true, mode: 0o755 });
  const server = await listening((port) => [
    SSHD,
    ...["-D", "-f", "/dev/null", "-oListenAddress=127.0.0.1", `-p${port}`],
    ...options,
  ]);
  return {
    port: server.port,
    async admit(bench) {
      const here = `${bench.home}/.ssh`;
      bench.write(
        `${here}/config`,
        `Host other\n HostName 127.0.0.1\n Port ${server.port}\n IdentityFile ${here}/key\n`,
      );
      bench.write(`${here}/known_hosts`, `[127.0.0.1]:${server.port} ${keys.host}\n`);
      await Deno.copyFile(`${directory}/user`, `${here}/key`);
      const accounts = bench.write(`${bench.home}/passwd`, `root:x:0:0::${bench.home}:/bin/sh\n`);
      return ["unshare", "-m", "sh", "-c", 'mount --bind "$1" /etc/passwd && shift && exec "$@"', "sh", accounts];
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The public half of a new key. */
async function makeKey(path: string): Promise<string> {
  const args = ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path];
  await new Deno.Command("ssh-keygen", { args, stdin: "null", stdout: "null" }).output();
  return (await Deno.readTextFile(`${path}.pub`)).trim();
}
