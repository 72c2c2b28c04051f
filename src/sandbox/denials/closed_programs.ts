/** Programs that need rights no command gets, reported by their typical errors: a person runs them (S15). Pure. */
import { words } from "../../base/text.ts";
import type { Denial, OperationDenial } from "../../base/command/denial.ts";
import { LONGEST_TEXT } from "./mentioned_paths.ts";
import { closesUnixSockets } from "./denied_operations.ts";
import type { DenialContext, EndedCommand } from "./question.ts";
import type { SandboxPolicy } from "../policy/policy.ts";

type Context = Pick<DenialContext, "policy" | "scopes" | "hasSshKeys">;

interface ClosedPrograms {
  readonly names: readonly string[];
  /** What commands may not do, as the rest of a sentence after the name, or the whole sentence. */
  readonly why: string | { readonly reason: string };
  /** An error that only such a denial gives; absent: a line that begins with the program's name. */
  readonly trace?: RegExp;
  /** An error that a program started by the command may give; absent: the command must name the program. */
  readonly inside?: RegExp;
  readonly isClosed: (policy: SandboxPolicy, context: Context) => boolean;
  /** Denied paths that mean the same. */
  readonly places?: RegExp;
}

/** OpenSSH translates nothing. */
const NO_LOGIN = /^Host key verification failed\.|\bPermission denied \([^)\n]*\bpublickey\b/m;

const DAEMONS = "which reach no daemon of this machine";

const CLOSED: readonly ClosedPrograms[] = [
  {
    names: words("docker docker-compose podman nerdctl buildah"),
    why: DAEMONS,
    trace: /\bunix:\/\/\/|\bdial unix \/|\bcannot (?:clone|re-exec)\b/,
    inside: /\bdocker\b[^\n]{0,80}\bunix:\/\/\/|\bdial unix \S{0,200}docker\.sock\b/i,
    isClosed: closesUnixSockets,
    places: /\.sock$/,
  },
  {
    names: words("systemctl journalctl loginctl busctl hostnamectl timedatectl"),
    why: DAEMONS,
    trace: /\bto (?:\w+ scope )?bus\b|\bbooted with systemd\b/,
    isClosed: closesUnixSockets,
  },
  {
    names: words("strace ltrace gdb lldb dlv rr"),
    why: "which may not trace processes",
    trace: /\bptrace\b|\bPTRACE_|Operation not permitted/i,
    isClosed: hasFilter,
  },
  {
    names: words("perf bpftrace"),
    why: "which may not watch the kernel",
    trace: /\bperf_event_open\b|\bNo permission to\b|Operation not permitted/i,
    isClosed: hasFilter,
  },
  {
    names: words("mount umount unshare nsenter chroot bwrap"),
    why: "which may not change mounts and namespaces",
    isClosed: hasFilter,
  },
  {
    names: words("apt apt-get dpkg dnf yum zypper pacman apk"),
    why: { reason: "system packages are not for commands; a person can install them" },
    trace: /\bsuperuser privileges?\b|\bunless you are root\b/,
    isClosed: () => true,
  },
  { names: words("sudo su doas pkexec"), why: "which gain no rights", isClosed: () => true },
  {
    names: words("rustup cargo rustc"),
    why: { reason: "tool chains are not for commands; a person can install them with rustup" },
    trace: /\brustup toolchain install\b|\/\.?rustup\/[^\n]*\(os error 30\)/,
    isClosed: () => true,
    places: /\/\.?rustup(?:\/|$)/,
  },
  {
    names: ["git"],
    why: { reason: "keys are not for commands, so that git signs nothing; git commit --no-gpg-sign works" },
    trace: /\bfailed to (?:sign the (?:data|tag)|write commit object)\b/,
    isClosed: () => true,
  },
  {
    names: words("ssh scp sftp rsync git"),
    why: {
      reason: "your ssh keys and known hosts are not for commands; a person can lend a key: " +
        "start the server with --ssh-agent KEY --ssh-hosts HOST",
    },
    trace: NO_LOGIN,
    inside: NO_LOGIN,
    isClosed: (_, { hasSshKeys }) => hasSshKeys !== true,
    places: /\/\.ssh(?:\/|$)/,
  },
];

/** The statement about such a program, in place of denials that mean the same; else these denials. */
export function withClosedPrograms(
  denials: readonly Denial[],
  command: Pick<EndedCommand, "words" | "output" | "end">,
  context: Context,
): readonly Denial[] {
  const { policy, scopes } = context;
  const output = command.output.slice(-LONGEST_TEXT);
  const failed = command.end.kind !== "exited" || command.end.code !== 0;
  const run = programsOf(command.words);
  for (const { names, why, trace, inside, isClosed, places } of CLOSED) {
    if (!isClosed(policy, context)) continue;
    const named = names.find((name) => run.has(name));
    const isTraced = named !== undefined && (trace?.test(output) ?? (failed && speaks(named, output)));
    const program = isTraced ? named : failed && inside?.test(output) === true ? names[0] : undefined;
    if (program === undefined) continue;
    const reason = typeof why === "string"
      ? `"${program}" is not for commands, ${why}; a person can run it outside the sandbox`
      : why.reason;
    const one: OperationDenial = { operation: "program", subject: program, reason, scope: scopes, flags: [] };
    return [one, ...denials.filter((denial) => !saysTheSame(denial, places))];
  }
  return denials;
}

function hasFilter({ confinement }: SandboxPolicy): boolean {
  return confinement.filter;
}

function speaks(program: string, output: string): boolean {
  return output.split("\n").some((line) => line.startsWith(`${program}: `));
}

function saysTheSame(denial: Denial, places: RegExp | undefined): boolean {
  if (places === undefined) return false;
  if ("path" in denial) return denial.protected !== true && places.test(denial.path);
  return denial.operation === "unix_socket" && (denial.subject === "AF_UNIX" || places.test(denial.subject));
}

/** What may precede the program in a part of a line. */
const BEFORE = /^\s*(?:(?:\w+=\S*|time|env|exec|command|nohup|nice|if|then|do|!|timeout\s+\S+)\s+)*([^\s'"`]+)/;

/** Programs of a command, without directories: the first word of argv, or of each part of a shell line. */
function programsOf([first = "", ...rest]: readonly string[]): ReadonlySet<string> {
  const lines = [first, ...rest.filter((word) => /\s/.test(word))].map((line) => line.slice(0, LONGEST_TEXT));
  const parts = lines.flatMap((line) => line.split(/[;&|()\n]+/));
  const programs = parts.map((part) => BEFORE.exec(part)?.[1] ?? "");
  return new Set(programs.map((program) => program.slice(program.lastIndexOf("/") + 1)));
}
