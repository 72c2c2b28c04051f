/*
 * The floor of a call: posix_spawn a shell, read its output to the end, wait for it. Reads lines "COUNT PAUSE_MS" and
 * answers each with one line of COUNT times in microseconds, so the caller can interleave it with what it measures.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double spawn_once(void) {
  char *argv[] = {"bash", "-c", "echo hi", NULL};
  char buffer[64];
  int pipe_ends[2], status;
  size_t got = 0;
  ssize_t n;
  pid_t pid;
  posix_spawn_file_actions_t actions;
  double begin = now_us();
  if (pipe2(pipe_ends, O_CLOEXEC)) fail("pipe2");
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 1);
  if ((errno = posix_spawnp(&pid, "bash", &actions, NULL, argv, environ))) fail("posix_spawnp");
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  while ((n = read(pipe_ends[0], buffer + got, sizeof buffer - got)) > 0) got += n;
  close(pipe_ends[0]);
  if (waitpid(pid, &status, 0) != pid || status != 0) fail("waitpid");
  if (got != 3 || memcmp(buffer, "hi\n", 3)) fail("output");
  return now_us() - begin;
}

int main(void) {
  long count, pause_ms;
  while (scanf("%ld %ld", &count, &pause_ms) == 2) {
    for (long i = 0; i < count; i++) {
      struct timespec pause = {pause_ms / 1000, pause_ms % 1000 * 1000000};
      if (pause_ms) nanosleep(&pause, NULL);
      printf(i ? " %.1f" : "%.1f", spawn_once());
    }
    printf("\n");
    fflush(stdout);
  }
  return 0;
}
