"""Listens outside the sandbox; the first line of its input is a directory for Unix sockets, the second an abstract name.

Says on the first line where, as JSON; then, when its input ends, what was heard, one word a line."""
import json, os, select, socket, sys

directory, abstract = sys.stdin.readline().strip(), sys.stdin.readline().strip()
streams, datagrams, where = [], [], {}

def open_socket(name, family, kind, address):
    one = socket.socket(family, kind)
    if family == socket.AF_INET6: one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    one.bind(address)
    if kind == socket.SOCK_STREAM:
        one.listen(16)
        streams.append(one)
    else: datagrams.append(one)
    if family == socket.AF_UNIX:
        if address[0] != "\0": os.chmod(address, 0o777)
    else: where[name] = one.getsockname()[1]

open_socket("tcp4", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
open_socket("tcp6", socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0))
open_socket("udp4", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
open_socket("udp6", socket.AF_INET6, socket.SOCK_DGRAM, ("::1", 0))
open_socket("stream", socket.AF_UNIX, socket.SOCK_STREAM, directory + "/stream")
open_socket("datagram", socket.AF_UNIX, socket.SOCK_DGRAM, directory + "/datagram")
open_socket("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract)
print(json.dumps(where), flush=True)

heard, open_streams, ended = set(), [], False
while not ended:
    ready, _, _ = select.select(streams + datagrams + open_streams + [sys.stdin], [], [])
    ended = sys.stdin in ready
    # What arrived before the end is in the queues by now.
    while True:
        ready, _, _ = select.select(streams + datagrams + open_streams, [], [], 0)
        if not ready: break
        for one in ready:
            if one in streams: open_streams.append(one.accept()[0])
            else:
                text = one.recv(100).decode()
                if text: heard.add(text)
                else:
                    open_streams.remove(one)
                    one.close()
print("\n".join(sorted(heard)))
