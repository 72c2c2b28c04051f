/*
 * enter_root ROOT PLACES PROGRAM [WORDS]: becomes a program where ROOT is all that there is, with PLACES of this machine
 * (colons between) at their own paths. A chroot is no such place: in one the kernel refuses user namespaces.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

static void write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY);
  if (file < 0 || write(file, text, strlen(text)) < 0) err(125, "%s", path);
  close(file);
}

/* An ordinary user has the rights to mount in a user namespace only. */
static void become_owner(void) {
  uid_t user = geteuid();
  gid_t group = getegid();
  if (user == 0) return;
  if (unshare(CLONE_NEWUSER)) err(125, "user namespace");
  char map[64];
  write_file("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "%u %u 1\n", user, user);
  write_file("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "%u %u 1\n", group, group);
  write_file("/proc/self/gid_map", map);
}

static void change_root(const char *root, char *places) {
  char path[4096], here[4096];
  if (!getcwd(here, sizeof here)) err(125, "working directory");
  if (mount(0, "/", 0, MS_REC | MS_PRIVATE, 0)) err(125, "private mounts");
  if (mount(root, root, 0, MS_BIND | MS_REC, 0)) err(125, "%s", root);
  for (char *place = strtok(places, ":"); place; place = strtok(0, ":")) {
    snprintf(path, sizeof path, "%s%s", root, place);
    if (mount(place, path, 0, MS_BIND | MS_REC, 0)) err(125, "%s at %s", place, path);
  }
  if (chdir(root) || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH)) err(125, "new root");
  if (chdir(here)) err(125, "%s", here);
}

int main(int argc, char **argv) {
  if (argc < 4) errx(125, "enter_root ROOT PLACES PROGRAM [WORDS]");
  become_owner();
  if (unshare(CLONE_NEWNS)) err(125, "mount namespace");
  change_root(argv[1], argv[2]);
  execvp(argv[3], argv + 3);
  err(125, "%s", argv[3]);
}
