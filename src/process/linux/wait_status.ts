import type { CommandEnd } from "../../base/command/command_end.ts";

/** How a process ended, from the status that wait4(2) gave for it. */
export function endOfStatus(status: number): Extract<CommandEnd, { kind: "exited" | "signalled" }> {
  const signal = status & 0x7f;
  return signal === 0
    ? { kind: "exited", code: (status >> 8) & 0xff }
    : { kind: "signalled", signal: signalName(signal) };
}

const SIGNALS = [
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGILL",
  "SIGTRAP",
  "SIGABRT",
  "SIGBUS",
  "SIGFPE",
  "SIGKILL",
  "SIGUSR1",
  "SIGSEGV",
  "SIGUSR2",
  "SIGPIPE",
  "SIGALRM",
  "SIGTERM",
  "SIGSTKFLT",
  "SIGCHLD",
  "SIGCONT",
  "SIGSTOP",
  "SIGTSTP",
  "SIGTTIN",
  "SIGTTOU",
  "SIGURG",
  "SIGXCPU",
  "SIGXFSZ",
  "SIGVTALRM",
  "SIGPROF",
  "SIGWINCH",
  "SIGIO",
  "SIGPWR",
  "SIGSYS",
] as const;

/** `SIGTERM` for 15 (asm-generic/signal.h; the same numbers on both processors). */
export function signalName(number: number): string {
  return SIGNALS[number - 1] ?? `signal ${number}`;
}
