#!/usr/bin/env bash
# Runs a command in a root of its own: enter.sh ROOT COMMAND... A mount namespace and pivot_root(2) make it the root of
# the namespace: the kernel refuses user namespaces, which the tests make, to a process that is only chrooted.
set -euo pipefail
root=$1
shift
exec unshare --mount --pid --fork --kill-child --propagation private bash -euc '
root=$1
shift
mount --bind "$root" "$root"
cd "$root"
mkdir -p proc sys dev .old
mount --rbind /sys sys
mount -t tmpfs -o mode=755 none dev
for name in null zero full random urandom tty; do
  touch "dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 none dev/pts
mount -t tmpfs -o mode=1777 none dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for number in 0 1 2; do ln -s "/proc/self/fd/$number" "dev/std$number"; done
mv dev/std0 dev/stdin
mv dev/std1 dev/stdout
mv dev/std2 dev/stderr
mount -t proc none proc
pivot_root . .old
cd /
umount -l /.old
rmdir /.old
exec "$@"
' enter "$root" "$@"
