"""Runs a program on a terminal of its own: on_terminal.py ROWS COLUMNS PROGRAM WORDS.

What the terminal shows goes to stdout. Lines of JSON on stdin: {"type": TEXT}, {"size": [ROWS, COLUMNS]},
{"stop": true} (nothing more is read from the terminal), {"go": true}. At the end a line of JSON on stderr says the exit
code and whether the terminal is as it was.
"""
import fcntl, json, os, pty, select, struct, sys, termios


def set_size(rows, columns):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


master, slave = pty.openpty()
set_size(int(sys.argv[1]), int(sys.argv[2]))
before = termios.tcgetattr(slave)
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for descriptor in (0, 1, 2):
        os.dup2(slave, descriptor)
    os.execv(sys.argv[3], sys.argv[3:])
ended = os.pidfd_open(child)
reads, pending, given = True, b"", True
while True:
    wanted = [ended] + ([master] if reads else []) + ([0] if given else [])
    ready, _, _ = select.select(wanted, [], [])
    if master in ready:
        os.write(1, os.read(master, 65536))
        continue
    if 0 in ready:
        got = os.read(0, 65536)
        given = len(got) > 0
        pending += got
        while b"\n" in pending:
            line, pending = pending.split(b"\n", 1)
            order = json.loads(line)
            if "type" in order:
                os.write(master, order["type"].encode("utf-8"))
            if "size" in order:
                set_size(*order["size"])
            reads = "stop" not in order if "stop" in order or "go" in order else reads
        continue
    if ended in ready:
        break
_, status = os.waitpid(child, 0)
report = {"code": os.waitstatus_to_exitcode(status), "isAsBefore": termios.tcgetattr(slave) == before}
os.write(2, (json.dumps(report) + "\n").encode())
