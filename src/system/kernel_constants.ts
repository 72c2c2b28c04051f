/** Constants of Linux system calls that have the same value on both processors (include/uapi of the kernel). */
export const AT_FDCWD = -100;
export const AT_EMPTY_PATH = 0x1000;
export const AT_RECURSIVE = 0x8000;

export const O_WRONLY = 1;
export const O_CREAT = 0x40;
export const O_EXCL = 0x80;
export const O_CLOEXEC = 0x80000;
export const O_PATH = 0x200000;

export const CLONE_NEWNS = 0x20000;
export const CLONE_NEWUSER = 0x10000000;
export const CLONE_NEWNET = 0x40000000;

export const AF_UNIX = 1;
export const AF_INET = 2;
export const SOCK_STREAM = 1;

export const EPERM = 1;
export const EACCES = 13;
export const EINVAL = 22;
export const ENOSYS = 38;
