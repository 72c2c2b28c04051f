import type { Project } from "./project.ts";

/** What root does in another way: it keeps the owners in an archive. */
const WITH_MAKE = "tar --owner=1001 --group=1001 -cf - check.c | tar -xf - && make -s -j2 check";
const WITH_CMAKE = "cmake -S . -B out >/dev/null && cmake --build out -j2 >/dev/null && ctest --test-dir out";

/** Generated code, a library and its test with make and cmake; the test uses what programs of this kind use. */
export const C_PROJECT: Project = {
  name: "c",
  programs: ["make", "cmake", "gcc"],
  files: {
    "generate.sh": `set -e
made=$(mktemp /tmp/tableXXXXXX)
for n in 1 2 3; do echo "$((n * n))," >> "$made"; done
mv "$made" "$1"
`,
    "table.c": `int squares[] = {
#include "table.inc"
};
`,
    "check.c": `#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pty.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
extern int squares[];

static void shared_memory(void) {
  char name[32];
  snprintf(name, sizeof name, "/check%d", getpid());
  int file = shm_open(name, O_CREAT | O_RDWR, 0600);
  assert(file >= 0 && shm_unlink(name) == 0 && ftruncate(file, 4096) == 0);
  sem_t *done = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  assert(done != MAP_FAILED && sem_init(done, 1, 0) == 0);
  if (fork() == 0) _exit(sem_post(done));
  assert(sem_wait(done) == 0 && wait(0) > 0);
}

static void unix_socket(void) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  snprintf(at.sun_path, sizeof at.sun_path, "check%d.sock", getpid());
  int listening = socket(AF_UNIX, SOCK_STREAM, 0), calling = socket(AF_UNIX, SOCK_STREAM, 0);
  assert(bind(listening, (struct sockaddr *)&at, sizeof at) == 0 && listen(listening, 1) == 0);
  assert(connect(calling, (struct sockaddr *)&at, sizeof at) == 0 && accept(listening, 0, 0) >= 0);
  assert(unlink(at.sun_path) == 0);
}

static void terminal(void) {
  int master;
  char text[8] = "";
  pid_t child = forkpty(&master, 0, 0, 0);
  assert(child >= 0);
  if (child == 0) _exit(isatty(0) && write(1, "tty", 3) == 3 ? 0 : 1);
  assert(read(master, text, 3) == 3 && strcmp(text, "tty") == 0);
  assert(waitpid(child, 0, 0) == child);
}

int main(void) {
  assert(squares[2] == 9);
  FILE *spare = tmpfile();
  assert(spare && fputs("x", spare) >= 0);
  shared_memory();
  unix_socket();
  terminal();
  puts("all checked");
}
`,
    "Makefile": `check: check.bin
	./check.bin
check.bin: check.o libtable.a
	$(CC) -o $@ $^ -lutil
libtable.a: table.o
	$(AR) rcs $@ $^
table.o: table.inc
table.inc: generate.sh
	sh generate.sh $@
`,
    "CMakeLists.txt": `cmake_minimum_required(VERSION 3.16)
project(check C)
include(CTest)
add_custom_command(OUTPUT table.inc COMMAND sh \${CMAKE_SOURCE_DIR}/generate.sh table.inc DEPENDS generate.sh)
add_library(table STATIC table.c \${CMAKE_BINARY_DIR}/table.inc)
target_include_directories(table PRIVATE \${CMAKE_BINARY_DIR})
add_executable(check check.c)
target_link_libraries(check table util)
add_test(NAME check COMMAND check)
`,
  },
  cold: `${WITH_MAKE} && ${WITH_CMAKE} --output-on-failure`,
  warm: WITH_MAKE,
  expected: /^all checked$[^]*^100% tests passed/m,
  expectedWarm: /^all checked$/m,
};
