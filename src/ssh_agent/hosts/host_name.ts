/** Hosts where commands may log in, as `--ssh-hosts` and files of known hosts write them (S42). Pure. */

export interface HostName {
  /** In small letters. */
  readonly host: string;
  readonly port: number;
}

const SSH_PORT = 22;
const LAST_PORT = 65_535;
const FORM = /^(?:([\w.-]+)|\[([\da-f:.]+)\])(?::(\d{1,5}))?$/i;

/** What is wrong with a value of the flag, to follow a colon; undefined: nothing. */
export function hostProblem(text: string): string | undefined {
  return readHost(text) === undefined
    ? `"${text}" is not a host such as github.com, git.example.org:2222 or [2001:db8::1]:22`
    : undefined;
}

/** The host of a value; undefined: it is none. */
export function readHost(text: string): HostName | undefined {
  const [, name, address, port = String(SSH_PORT)] = FORM.exec(text) ?? [];
  const host = (name ?? address)?.toLowerCase();
  return host === undefined || Number(port) < 1 || Number(port) > LAST_PORT ? undefined : { host, port: Number(port) };
}

/** As files of known hosts write it. */
export function knownName({ host, port }: HostName): string {
  return port === SSH_PORT ? host : `[${host}]:${port}`;
}

/** As the flag takes it. */
export function printHost({ host, port }: HostName): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return port === SSH_PORT ? name : `${name}:${port}`;
}

const LONGEST_LOOKED_AT = 1000;
const MOST_WORDS = 50;
const MOST_PORTS = 4;

/** The hosts that a command line may name: each of its words, at each possible port. */
export function hostsIn(command: string): readonly HostName[] {
  const words = [...new Set(command.slice(0, LONGEST_LOOKED_AT).toLowerCase().split(/[^\w.-]+/))];
  const ports = words.filter((word) => /^\d{1,5}$/.test(word)).map(Number).slice(0, MOST_PORTS);
  const hosts = words.filter((word) => /[a-z.]/.test(word)).slice(0, MOST_WORDS);
  return hosts.flatMap((host) => [SSH_PORT, ...ports].map((port) => ({ host, port })));
}
