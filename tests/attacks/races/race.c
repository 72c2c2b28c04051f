/*
 * The programs of a race (race.ts): one that moves things, one that a launched command becomes, and one that names a
 * path twice.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* linux/fs.h; headers of the C library lack it where they are old. */
#define EXCHANGE 2

static int fail(const char *what) {
  perror(what);
  return 1;
}

static void pause_at_most(unsigned microseconds) {
  usleep(random() % (microseconds + 1));
}

/* Whether a step of two words was done: "swap A B" and the like. */
static int moved(const char *how, const char *one, const char *other) {
  if (!strcmp(how, "swap")) return renameat2(AT_FDCWD, one, AT_FDCWD, other, EXCHANGE) == 0;
  if (!strcmp(how, "move")) return rename(one, other) == 0;
  if (!strcmp(how, "link")) return symlink(one, other) == 0;
  if (!strcmp(how, "hard")) return link(one, other) == 0;
  if (!strcmp(how, "make")) return mkdir(one, strtol(other, NULL, 8)) == 0;
  if (!strcmp(how, "gone")) return (strcmp(other, "dir") ? unlink(one) : rmdir(one)) == 0;
  fprintf(stderr, "no such step: %s\n", how);
  exit(2);
}

/* move STEP A B ...: in a circle until the file "stop" is there; the file "moves" counts what was done. "wait 200 -" waits. */
static int move(int count, char **words) {
  int file = open("moves", O_RDWR | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || ftruncate(file, 8) < 0) return fail("moves");
  volatile unsigned long *moves = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (moves == MAP_FAILED) return fail("mmap");
  srandom(getpid() ^ time(NULL));
  while (access("stop", F_OK) != 0) {
    for (int at = 0; at + 2 < count; at += 3) {
      if (!strcmp(words[at], "wait")) pause_at_most(atoi(words[at + 1]));
      else *moves += moved(words[at], words[at + 1], words[at + 2]);
    }
  }
  return 0;
}

/* Whether `name` below `place` could be read; its bytes are printed. */
static int reads(const char *place) {
  char path[4096], text[128];
  snprintf(path, sizeof path, "%s/secret", place);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t size = read(file, text, sizeof text);
  if (size > 0) fwrite(text, 1, size, stdout);
  close(file);
  return size > 0;
}

/* Whether a file that is outside only could be opened for writing. */
static int writes(const char *place) {
  char path[4096];
  snprintf(path, sizeof path, "%s/written", place);
  int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return 0;
  int done = write(file, "w", 1) == 1;
  close(file);
  return done;
}

/* Whether mode or times of a file that is outside only could be set. */
static int changes(const char *place) {
  char path[4096];
  struct timespec times[2] = {{1, 0}, {1, 0}};
  snprintf(path, sizeof path, "%s/changed", place);
  return (chmod(path, 0604) == 0) | (utimensat(AT_FDCWD, path, times, 0) == 0);
}

/* How often all places are tried: things go on moving meanwhile. */
#define ROUNDS 3

/* probe WATCHED rwc PLACE ...: tries each place, then says what it got and which file bears the watched name. */
static int probe(int count, char **words) {
  int got[3] = {0, 0, 0};
  struct stat facts = {0};
  for (int round = 0; round < ROUNDS; round++) {
    for (int at = 2; at < count; at++) {
      if (strchr(words[1], 'r')) got[0] |= reads(words[at]);
      if (strchr(words[1], 'w')) got[1] |= writes(words[at]);
      if (strchr(words[1], 'c')) got[2] |= changes(words[at]);
    }
  }
  lstat(words[0], &facts);
  printf("\nprobed %lu read=%d write=%d change=%d\n", (unsigned long)facts.st_ino, got[0], got[1], got[2]);
  return 0;
}

/*
 * twice PATH INODE PLACE SECONDS: looks whether PATH is the directory or file it should be and then uses the PLACE by
 * name, until it is led astray; says after how many tries.
 */
static int twice(char **words) {
  unsigned long expected = strtoul(words[1], NULL, 10);
  time_t end = time(NULL) + atoi(words[3]);
  for (unsigned long tries = 1; time(NULL) < end; tries++) {
    struct stat facts;
    int opened = open(words[0], O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0) continue;
    int same = fstat(opened, &facts) == 0 && facts.st_ino == expected;
    close(opened);
    if (!same) continue;
    pause_at_most(200);
    if (!reads(words[2])) continue;
    printf("\nastray after %lu tries\n", tries);
    return 0;
  }
  return 1;
}

int main(int count, char **words) {
  if (count > 4 && !strcmp(words[1], "move")) return move(count - 2, words + 2);
  if (count > 4 && !strcmp(words[1], "probe")) return probe(count - 2, words + 2);
  if (count == 6 && !strcmp(words[1], "twice")) return twice(words + 2);
  fprintf(stderr, "usage: race move|probe|twice ...\n");
  return 2;
}
