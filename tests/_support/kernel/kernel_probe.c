/*
 * Tries what a filter of system calls should deny, one line each: "NAME ok", or "NAME errno N". Every attempt aims at
 * this program's own child, so that nothing but the filter stands in its way.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;
static char secret[16] = "read me";

static void say(const char *name, long result) {
  if (result < 0) printf("%s errno %d\n", name, errno);
  else printf("%s ok\n", name);
  fflush(stdout);
}

/* What would change this process for good happens in one that ends right after. */
static void apart(const char *name, long (*attempt)(void)) {
  pid_t pid = fork();
  if (pid == 0) {
    errno = 0;
    _exit(attempt() < 0 ? errno : 0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) printf("%s signal %d\n", name, WTERMSIG(status));
  else if (WEXITSTATUS(status)) printf("%s errno %d\n", name, WEXITSTATUS(status));
  else printf("%s ok\n", name);
  fflush(stdout);
}

static long seize(void) { return ptrace(PTRACE_SEIZE, child, 0, 0); }
static long new_user(void) { return unshare(CLONE_NEWUSER); }
static long new_net(void) { return unshare(CLONE_NEWUSER | CLONE_NEWNET); }
static long cloned_user(void) {
  long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) _exit(0);
  return pid;
}
static long cloned3(void) {
  struct { unsigned long long flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls; } args = {0};
  args.exit_signal = SIGCHLD;
  long pid = syscall(SYS_clone3, &args, sizeof args);
  if (pid == 0) _exit(0);
  return pid;
}
static long joined(void) {
  int fd = open("/proc/self/ns/uts", O_RDONLY);
  return fd < 0 ? fd : setns(fd, 0);
}
static long mounted(void) {
  if (unshare(CLONE_NEWNS)) return -1;
  return mount("none", "/tmp", "tmpfs", 0, 0);
}
static long rooted(void) { return chroot("/"); }
static long foreign(void) {
#ifdef __x86_64__
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory"); /* getpid of i386 */
  return result < 0 ? -1 : 0;
#else
  raise(SIGSYS);
  return 0;
#endif
}
static void *idle(void *value) { return value; }
static long threads(void) {
  pthread_t made[8];
  for (int i = 0; i < 8; i++)
    if ((errno = pthread_create(&made[i], NULL, idle, NULL))) return -1;
  for (int i = 0; i < 8; i++) pthread_join(made[i], NULL);
  return 0;
}
static long vforked(void) {
  pid_t pid = vfork();
  if (pid == 0) _exit(0);
  return pid;
}
/* From what it is: a test run may have a low priority itself, and only root may raise one. */
static long lowered(void) { return setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1); }

static void denied(void) {
  struct rlimit limit = {64, 64};
  char buffer[16];
  struct iovec mine = {buffer, sizeof secret}, theirs = {secret, sizeof secret};
  union bpf_attr map = {.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1};
  struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_TASK_CLOCK};
  event.exclude_kernel = event.exclude_hv = 1;
  char ring[256] = {0}, name[64], byte = 'x';
  int pair[2];
  apart("ptrace", seize);
  say("process_vm_readv", process_vm_readv(child, &mine, 1, &theirs, 1, 0));
  say("process_vm_writev", process_vm_writev(child, &theirs, 1, &theirs, 1, 0));
  int pidfd = syscall(SYS_pidfd_open, child, 0);
  say("pidfd_getfd", syscall(SYS_pidfd_getfd, pidfd, 1, 0));
  say("kcmp", syscall(SYS_kcmp, getpid(), child, 0, 1, 1));
  say("prlimit of another", syscall(SYS_prlimit64, child, RLIMIT_NOFILE, &limit, NULL));
  say("setpriority of another", setpriority(PRIO_PROCESS, child, 19));
  say("ioprio_set of another", syscall(SYS_ioprio_set, 1, child, (3 << 13)));
  apart("unshare user", new_user);
  apart("unshare network", new_net);
  apart("clone user", cloned_user);
  apart("clone3", cloned3);
  apart("setns", joined);
  apart("mount", mounted);
  apart("chroot", rooted);
  say("fsopen", syscall(430, "tmpfs", 0));
  say("open_tree clone", syscall(428, AT_FDCWD, "/", 1));
  say("bpf", syscall(SYS_bpf, 0, &map, sizeof map));
  say("perf_event_open", syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
  say("userfaultfd", syscall(SYS_userfaultfd, 1 /* UFFD_USER_MODE_ONLY */));
  say("keyctl", syscall(SYS_keyctl, 0, -3, 1));
  say("add_key", syscall(SYS_add_key, "user", "probe", "x", 1, -2));
  say("io_uring_setup", syscall(425, 1, ring));
  gethostname(name, sizeof name);
  say("sethostname", sethostname(name, strlen(name)));
  say("syslog", syscall(SYS_syslog, 10, NULL, 0));
  say("quotactl", syscall(SYS_quotactl, 0x80000100 /* Q_SYNC */, NULL, 0, NULL));
  say("socketpair dgram", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
  say("TIOCSTI", ioctl(0, TIOCSTI, &byte));
  say("a lease", fcntl(open("leased", O_RDONLY | O_CREAT, 0600), F_SETLEASE, F_RDLCK));
  apart("i386 call", foreign);
}

static void allowed(void) {
  struct rlimit limit = {64, 64};
  int pair[2];
  apart("threads", threads);
  apart("vfork", vforked);
  apart("setpriority of oneself", lowered);
  say("prlimit of oneself", syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit));
  say("reading a limit of another", syscall(SYS_prlimit64, child, RLIMIT_NOFILE, NULL, &limit));
  say("unshare files", unshare(CLONE_FILES));
  say("socketpair stream", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
  say("memfd_create", memfd_create("probe", 0));
  say("executable memory", mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANON, -1, 0) == MAP_FAILED ? -1 : 0);
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  say("sched_setaffinity", sched_setaffinity(0, sizeof cores, &cores));
}

int main(int argc, char **argv) {
  child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  if (argc > 1 && !strcmp(argv[1], "allowed")) allowed();
  else denied();
  kill(child, SIGKILL);
  return 0;
}
