"""Runs a program on a terminal, shows what it writes, and types there what comes on stdin."""
import os
import pty
import select
import sys

child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
sources = [terminal, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        typed = os.read(0, 4096)
        if typed:
            os.write(terminal, typed)
        else:
            sources.remove(0)
    if terminal in ready:
        try:
            text = os.read(terminal, 4096)
        except OSError:  # the terminal ends with its last program
            break
        if not text:
            break
        os.write(1, text)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
