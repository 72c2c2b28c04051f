/** Y: ways around the relay of a network by name: other transports, other networks, its own sockets (S30, S32). */
import { BOTH, type Row } from "../frame/attack.ts";
import {
  type Attempt,
  LISTED,
  ODD,
  OTHER,
  outwardInProcesses,
  PORT,
  UNLISTED_PORT,
  volley,
} from "../means/own_machine.ts";

/** An address that no list has. */
const ELSEWHERE = "8.8.2.2";
const REACHES = `talk("${ELSEWHERE}", ${PORT}, tag)`;

/** Sends a datagram to a host. */
function datagram(host: string, port: number): string {
  return `
found = socket.getaddrinfo("${host}", ${port}, type=2)[0]
socket.socket(found[0], 2).sendto(tag, found[4])`;
}

/** What needs rights or a kernel that the control may lack: there it reaches the same place plainly. */
function reaching(program: string, control = REACHES): Attempt {
  return { program, control };
}

/** Python: system calls of namespaces, and messages that change the network one stands in. */
const NETWORKS = `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
NEW_USER, NEW_NET = 0x10000000, 0x40000000
def unshare(flags):
  if libc.unshare(flags): raise OSError(ctypes.get_errno(), "unshare")
def enter(path):
  if libc.setns(os.open(path, 0), 0): raise OSError(ctypes.get_errno(), path)
def route(kind, flags, address, bits, table, type, gateway=None):
  with socket.socket(16, 3, 0) as netlink:
    body = struct.pack("=BBBBBBBBI", 2, bits, 0, 0, table, 4, 254 if type == 2 else 0, type, 0)
    if bits: body += struct.pack("=HH4s", 8, 1, socket.inet_aton(address))
    if gateway: body += struct.pack("=HH4s", 8, 5, socket.inet_aton(gateway))
    body += struct.pack("=HHI", 8, 4, 1)
    netlink.send(struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body)
    code = struct.unpack("=i", netlink.recv(4096)[16:20])[0]
    if code: raise OSError(-code, "route")
def soft(act, *args):
  try: return act(*args)
  except OSError as error: print(error)
`;

/** Takes connections to a listed port itself; without the list to `own`, which nothing else takes. */
function listens(bind: string, own: number, options: readonly number[] = []): Exclude<Attempt, string> {
  const program = (port: number, proof: string) => `
found = socket.gethostbyname("${LISTED}")
mine = socket.socket(${bind.includes("::") ? 10 : 2})
for option in ${JSON.stringify(options)}: mine.setsockopt(1, option, 1)
mine.bind((${bind}, ${port}))
mine.listen()
mine.settimeout(1)
there = socket.create_connection(("${LISTED}", ${port}))
mine.accept()
${proof}`;
  // Where the list holds, another listed port tells of it.
  const tells = `talk("a.below.example.test", ${PORT}, tag)`;
  return { program: program(80, tells), control: program(own, tells) };
}

export const NETWORK_ESCAPES: readonly Row[] = [
  {
    id: "Y08",
    title: "leave the network by name with another transport",
    users: BOTH,
    aim: "evidence",
    ways: {
      "datagrams, multipath, first words, raw sockets": volley({
        "a datagram to a listed name": datagram(LISTED, PORT),
        "QUIC to a listed name": datagram(LISTED, 443),
        "a datagram to a listed name's other port": datagram(LISTED, UNLISTED_PORT),
        "to an address": datagram(ELSEWHERE, PORT),
        "to a listed address": datagram("8.8.4.4", PORT),
        "to an address of IPv6": datagram("2620:fe::fe", PORT),
        "to a mapped one": datagram(`::ffff:${ELSEWHERE}`, PORT),
        "a connected socket": `
peer = socket.socket(2, 2)
peer.connect(("${ELSEWHERE}", ${PORT}))
peer.send(tag)`,
        "a connected socket turned elsewhere": `
peer = socket.socket(2, 2)
peer.connect(("127.0.0.1", 53))
peer.sendto(tag, ("${ELSEWHERE}", ${PORT}))`,
        "by broadcast": reaching(
          `
peer = socket.socket(2, 2)
peer.setsockopt(1, 6, 1)
peer.sendto(tag, ("255.255.255.255", ${PORT}))`,
          datagram(ELSEWHERE, PORT),
        ),
        "bound to an interface": reaching(
          `
peer = socket.socket(2, 2)
peer.setsockopt(1, 25, b"lo")
peer.sendto(tag, ("${ELSEWHERE}", ${PORT}))`,
          datagram(ELSEWHERE, PORT),
        ),
        "UDP-Lite": reaching(
          `socket.socket(2, 2, 136).sendto(tag, ("${ELSEWHERE}", ${PORT}))`,
          datagram(ELSEWHERE, PORT),
        ),
        "multipath TCP": reaching(`
peer = socket.socket(2, 1, 262)
peer.connect(("${ELSEWHERE}", ${PORT}))
peer.send(tag)`),
        "SCTP": reaching(`
peer = socket.socket(2, 1, 132)
peer.connect(("${ELSEWHERE}", ${PORT}))
peer.send(tag)`),
        "first words of TCP": `
peer = socket.socket()
peer.settimeout(None)
peer.sendto(tag, 0x20000000, ("${ELSEWHERE}", ${PORT}))`,
        "first words to a listed name's other port": `
peer = socket.socket()
peer.settimeout(None)
peer.sendto(tag, 0x20000000, (socket.gethostbyname("${LISTED}"), ${UNLISTED_PORT}))`,
        "first words at connecting": `
peer = socket.socket()
peer.setsockopt(6, 30, 1)
peer.connect(("${ELSEWHERE}", ${PORT}))
peer.send(tag)`,
        "an echo request": reaching(`socket.socket(2, 2, 1).sendto(b"\\10\\0\\0\\0" + tag, ("${ELSEWHERE}", 0))`),
        "a raw socket": reaching(
          `socket.socket(2, 3, 17).sendto(struct.pack(">HHHH", 9, ${PORT}, 8 + len(tag), 0) + tag, ("${ELSEWHERE}", 0))`,
        ),
        "a packet socket": reaching(`
peer = socket.socket(17, 3, 0x300)
peer.bind(("lo", 0))
peer.send(bytes(14) + tag)`),
      }),
    },
  },
  {
    id: "Y09",
    title: "change the network by name from inside, or leave it for another",
    users: BOTH,
    aim: "evidence",
    ways: {
      "namespaces, routes, devices": volley(
        {
          "a route to elsewhere": reaching(`soft(route, 24, 0x405, "8.8.0.0", 16, 254, 1, "127.0.0.1")\n${REACHES}`),
          "an address of its own": reaching(`soft(route, 24, 0x405, "8.8.0.0", 16, 255, 2)\n${REACHES}`),
          "no address of names": reaching(`soft(route, 25, 5, "198.18.0.0", 15, 255, 2)\n${REACHES}`),
          "a user namespace": reaching(`
soft(unshare, NEW_USER)
soft(route, 24, 0x405, "0.0.0.0", 0, 254, 1, "127.0.0.1")
soft(route, 25, 5, "198.18.0.0", 15, 255, 2)
${REACHES}`),
          "user and network namespaces": reaching(`soft(unshare, NEW_USER | NEW_NET)\n${REACHES}`),
          "a network namespace": reaching(`soft(unshare, NEW_NET)\n${REACHES}`),
          ...Object.fromEntries(
            ["self", "1", "thread-self"].map((one) => [
              `the namespace of ${one}`,
              reaching(`soft(enter, "/proc/${one}/ns/user")\nsoft(enter, "/proc/${one}/ns/net")\n${REACHES}`),
            ]),
          ),
          "each that can be seen": reaching(`
for one in os.listdir("/proc"):
  if one.isdigit(): soft(enter, f"/proc/{one}/ns/net")
${REACHES}`),
          "a tunnel": reaching(`
import fcntl
there = soft(os.open, "/dev/net/tun", 2)
if there is not None: soft(fcntl.ioctl, there, 0x400454ca, struct.pack("16sH14x", b"tun0", 0x1001))
${REACHES}`),
          "the loopback down": reaching(`
import fcntl
soft(fcntl.ioctl, socket.socket(), 0x8914, struct.pack("16sH14x", b"lo", 0))
${REACHES}`),
          "forwarding": reaching(`
def write(path): open(path, "w").write("1")
for one in "ip_forward", "ip_nonlocal_bind", "conf/all/route_localnet": soft(write, f"/proc/sys/net/ipv4/{one}")
${REACHES}`),
        },
        NETWORKS,
        "processes",
      ),
    },
  },
  {
    id: "Y10",
    title: "take the place of the relay for other commands",
    users: BOTH,
    aim: "evidence",
    ways: {
      "listeners": outwardInProcesses([
        Object.fromEntries(
          Object.entries({
            "every address": listens('""', 7002),
            "every address of IPv6": listens('"::"', 7003),
            "used again": listens('""', 7004, [2]),
            "shared": listens('""', 7005, [15]),
            "shared, the name's own address": listens("found", 7006, [2, 15]),
            "shared, of IPv6": listens('"::"', 7007, [2, 15]),
          }).map(([name, { program, control }]) => [name, {
            program: `tag = b"taken"${program}`,
            control: `tag = b"taken"${control}`,
          }]),
        ),
        /taken/,
      ]),
    },
  },
  {
    id: "Y11",
    title: "use sockets of others in place of a network",
    users: BOTH,
    aim: "evidence",
    ways: {
      "inherited, abstract, of other processes": outwardInProcesses([{
        "a name of no file": `socket.socket(1).connect(b"\\0outside")`,
        "what was inherited": {
          program: `
for one in range(3, 1024):
  try: peer = socket.socket(fileno=os.dup(one))
  except OSError: continue
  print(one, peer)
  for act in (lambda: peer.send(b"inherited")), (lambda: peer.connect(("${ELSEWHERE}", ${PORT}))), peer.accept:
    try: act()
    except OSError as error: print(error)`,
          control: `talk("${ELSEWHERE}", ${PORT})`,
        },
        "descriptors of other processes": {
          program: `
import ctypes
libc = ctypes.CDLL(None)
for process in [int(one) for one in os.listdir("/proc") if one.isdigit()] + [os.getppid()]:
  if process == os.getpid(): continue
  try: print(process, os.listdir(f"/proc/{process}/fd"))
  except OSError: pass
  held = libc.syscall(434, process, 0)
  for at in range(1024) if held >= 0 else ():
    taken = libc.syscall(438, held, at, 0)
    if taken < 0: continue
    try: socket.socket(fileno=taken).connect(("${ELSEWHERE}", ${PORT}))
    except OSError as error: pass`,
          control: `talk("${ELSEWHERE}", ${PORT})`,
        },
      }, new RegExp(`^unix|${ELSEWHERE.replaceAll(".", "\\.")}|inherited`)]),
    },
  },
  {
    id: "Y12",
    title: "name a host that is not listed in another way",
    users: BOTH,
    aim: "evidence",
    ways: {
      "addresses and names": volley({
        ...Object.fromEntries([
          "8.8.514",
          "134742530",
          "0x08080202",
          "010.010.02.02",
          "0x8.8.0x2.2",
          "::ffff:808:202",
          "0:0:0:0:0:ffff:8.8.2.2",
          "64:ff9b::808:202",
          "2002:808:202::1",
          "2620:fe:0:0::fe",
          "198.18.0.9",
          "198.19.255.254",
          OTHER.toUpperCase(),
          "BELOW.example.test",
          "n\u00e4med.example.test",
          "xn--nmed-loa.example.test",
        ].map((host) => [host, `talk("${host}", ${PORT}, tag)`])),
        "a dot at the end": reaching(`talk("${OTHER}.", ${PORT}, tag)`),
      }),
    },
  },
  {
    id: "Y13",
    title: "reach this machine or another network by what a listed name leads to, in other forms",
    users: BOTH,
    aim: "evidence",
    ways: {
      "routed here, mapped, translated, shared": volley(
        Object.fromEntries(ODD.map((one) => [one, `talk("${one}.example.test", ${PORT}, tag)`])),
      ),
    },
  },
];
