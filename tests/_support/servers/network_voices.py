"""Speaks from inside the sandbox: network_voices.py WHERE_AS_JSON UNIX_DIRECTORY ABSTRACT_NAME

Tries every way to be heard outside by what it says, then what a program may do by itself ("NAME ok", "NAME no")."""
import json, socket, sys

where, directory, abstract = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
MPTCP, FAST_OPEN = 262, 0x20000000

def connected(family, address, protocol=0):
    def speak(name):
        with socket.socket(family, socket.SOCK_STREAM, protocol) as one:
            one.settimeout(5)
            one.connect(address)
            one.sendall(name)
    return speak

def sent(family, address, kind=socket.SOCK_DGRAM, flags=0):
    def speak(name):
        with socket.socket(family, kind) as one: one.sendto(name, flags, address)
    return speak

def turned(name):
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(name, directory + "/datagram")

WAYS = {
    "tcp4": connected(socket.AF_INET, ("127.0.0.1", where["tcp4"])),
    "tcp6": connected(socket.AF_INET6, ("::1", where["tcp6"])),
    "mptcp": connected(socket.AF_INET, ("127.0.0.1", where["tcp4"]), MPTCP),
    "fast-open": sent(socket.AF_INET, ("127.0.0.1", where["tcp4"]), socket.SOCK_STREAM, FAST_OPEN),
    "udp4": sent(socket.AF_INET, ("127.0.0.1", where["udp4"])),
    "udp6": sent(socket.AF_INET6, ("::1", where["udp6"])),
    "stream": connected(socket.AF_UNIX, directory + "/stream"),
    "datagram": sent(socket.AF_UNIX, directory + "/datagram"),
    "abstract": connected(socket.AF_UNIX, "\0" + abstract),
    "turned-pair": turned,
}
for name, speak in WAYS.items():
    try: speak(name.encode())
    except OSError: pass

def loopback():
    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.settimeout(5)
        client.connect(server.getsockname())
        client.sendall(b"x")
        assert server.accept()[0].recv(1) == b"x"

def unbound():
    with socket.socket() as server: server.listen()

def pair():
    one, other = socket.socketpair()
    one.sendall(b"x")
    assert other.recv(1) == b"x"

OWN = {
    "loopback": loopback,
    "listen": unbound,
    "pair": pair,
    "routes": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close(),
    "audit": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9).close(),
    "diagnostics": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4).close(),
    "raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close(),
    "packet": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close(),
    "vsock": lambda: socket.socket(40, socket.SOCK_STREAM, 0).close(),
    "crypto": lambda: socket.socket(38, 5, 0).close(),
}
for name, attempt in OWN.items():
    try:
        attempt()
        print(name, "ok")
    except OSError: print(name, "no")
