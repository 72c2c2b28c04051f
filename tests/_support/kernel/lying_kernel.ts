/**
 * A kernel that answers chosen system calls with a chosen error, or pretends that they worked. It is a seccomp filter
 * that a few lines of C set before the program starts, so the program gets real refusals.
 */
import type { Workbench } from "../workbench.ts";

/** What a system call answers: an errno, or 0 for a success that did nothing. */
export interface Lie {
  readonly call: number;
  readonly errno: number;
  /** Only calls with this first argument; absent: all. */
  readonly first?: number;
}

const SOURCE = `
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct sock_filter filter[128];
  int used = 0, at = 1;
  for (; at + 2 < argc && strcmp(argv[at], "--") != 0; at += 3) {
    int any = strcmp(argv[at + 2], "any") == 0;
    filter[used++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, atoi(argv[at]), 0, any ? 1 : 3);
    if (!any) {
      filter[used++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args));
      filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, strtoul(argv[at + 2], 0, 10), 0, 1);
    }
    filter[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | atoi(argv[at + 1]));
  }
  filter[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = { used, filter };
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
    perror("cannot set the filter");
    return 1;
  }
  execvp(argv[at + 1], argv + at + 1);
  perror("cannot start the program");
  return 1;
}
`;

/** Compiles the filter in the bench; returns the words that start a program under this filter. */
export async function lyingKernel(bench: Workbench): Promise<(lies: readonly Lie[]) => readonly string[]> {
  const program = `${bench.elsewhere}/lying-kernel`;
  const source = bench.write(`${bench.elsewhere}/lying-kernel.c`, SOURCE);
  const { success, stderr } = await new Deno.Command("gcc", { args: ["-O1", "-o", program, source] }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return (
    lies,
  ) => [program, ...lies.flatMap(({ call, errno, first = "any" }) => [`${call}`, `${errno}`, `${first}`]), "--"];
}
