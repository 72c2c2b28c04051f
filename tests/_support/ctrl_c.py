"""Runs a program on a terminal of its own, shows what it writes, and types Ctrl-C there on SIGUSR1."""
import os
import pty
import signal
import sys

child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGUSR1, lambda *_: os.write(terminal, b"\x03"))
while True:
    try:
        text = os.read(terminal, 4096)
    except OSError:  # the terminal ends with its last program
        break
    if not text:
        break
    os.write(1, text)
os.waitpid(child, 0)
