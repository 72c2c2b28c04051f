/* A runtime in miniature: says what it was started with, each text with a NUL behind it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

extern char **environ;

/* Runs where the function that ld.so handed over at the start is called at the end. */
__attribute__((destructor)) static void last(void) { printf("end%c", 0); }

int main(int argc, char **argv) {
  for (int i = 0; i < argc; i++) printf("word %s%c", argv[i], 0);
  for (char **variable = environ; *variable; variable++) printf("variable %s%c", *variable, 0);
  const char *program = argv[argc - 1];
  for (int i = 0; i < argc; i++)
    if (!strncmp(argv[i], "/proc/self/fd/", 14)) program = argv[i];
  int file = open(program, O_RDONLY);
  char text[4096];
  ssize_t length = read(file, text, sizeof text - 1);
  text[length < 0 ? 0 : length] = 0;
  close(file);
  printf("program %s%c", text, 0);
  int descriptor = -1;
  sscanf(program, "/proc/self/fd/%d", &descriptor);
  printf("seals %d%c", fcntl(descriptor, F_GET_SEALS) & 15, 0);
  printf("closed on exec %d%c", fcntl(descriptor, F_GETFD), 0);
  printf("writable %d%c", write(descriptor, "x", 1) == 1, 0);
  printf("page %lu%c", getauxval(AT_PAGESZ), 0);
  DIR *open_ones = opendir("/proc/self/fd");
  for (struct dirent *one; (one = readdir(open_ones));)
    if (one->d_name[0] != '.' && atoi(one->d_name) != dirfd(open_ones)) printf("open %s%c", one->d_name, 0);
  closedir(open_ones);
  return 7;
}
