/** K: sockets and network. */
import { BOTH, python, ROOT, type Row, SYSTEM_CALL, type Way } from "../frame/attack.ts";
import { abstractDatagram, abstractStream, datagramAt, streamAt } from "../means/listeners.ts";
import { withoutRing } from "../frame/machine.ts";
import {
  CONNECT,
  connectTo,
  facing,
  fastOpen,
  INTERRUPT,
  listensForOthers,
  makes,
  offline,
  reachesDatagrams,
  reachesListener,
  reachesMeanwhile,
  reachesService,
  SENDMMSG,
  sendTo,
  tcp,
  withoutFamily,
} from "../means/network_ways.ts";
import { driven } from "../frame/stage.ts";

const TCP_WAYS: Readonly<Record<string, (port: number) => string>> = {
  "bash": (port) => `exec 3<>/dev/tcp/127.0.0.1/${port}; head -n 1 <&3`,
  "IPv4": (port) => tcp(port, "127.0.0.1"),
  "IPv6": (port) => tcp(port, "::1", { family: "AF_INET6" }),
  "IPv4 in IPv6": (port) => tcp(port, "::ffff:127.0.0.1", { family: "AF_INET6" }),
  "curl": (port) => `curl --silent --http0.9 --max-time 5 http://127.0.0.1:${port}/`,
};

/** What holds whether or not commands have a network: sockets that are no network of the machine's. */
const RARE: Readonly<Record<string, Way>> = {
  "vsock": makes(40, 1, 0),
  "AF_ALG": makes(38, 5, 0),
  "netlink audit": makes(16, 3, 9),
  "netlink connector": makes(16, 2, 11),
  "bluetooth": makes(31, 3, 1),
};

export const NETWORK: readonly Row[] = [
  {
    id: "K01",
    title: "connect to an abstract socket outside",
    users: BOTH,
    aim: "read",
    ways: {
      "a stream": facing(
        ({ marker }) => abstractStream(`k${marker.slice(4, 20)}`),
        ({ marker }) => connectTo(`"\\0k${marker.slice(4, 20)}"`),
      ),
      "a datagram": facing(
        ({ marker }) => abstractDatagram(`k${marker.slice(4, 20)}`),
        ({ marker }) => sendTo(`"\\0k${marker.slice(4, 20)}"`),
      ),
    },
  },
  {
    id: "K02",
    title: "connect to a socket at a path",
    users: BOTH,
    aim: "read",
    ways: {
      "outside": facing(() => streamAt("s"), ({ out }) => connectTo(`"${out}/s"`)),
      "outside, by a link": facing(() => streamAt("s"), ({ out }) => `ln -s ${out}/s link; ${connectTo('"link"')}`),
      "outside, over /proc": facing(() => streamAt("s"), ({ out }) => connectTo(`"/proc/self/root${out}/s"`)),
      "in the scope, made by another program": facing(
        ({ directory }) => streamAt(`${directory}/s`),
        () => connectTo('"s"'),
      ),
      "in the scope, named by a descriptor": facing(
        ({ directory }) => `import os\nos.dup2(os.open("${directory}", 0), 9)${streamAt("/proc/self/fd/9/s")}`,
        () => connectTo('"s"'),
      ),
      "in the scope, by a way that the command moves": facing(
        ({ directory }) => `import os\nos.mkdir("${directory}/d")${streamAt(`${directory}/d/s`)}`,
        () => `mv d e; ln e/s f; ${connectTo('"e/s"')}`,
      ),
    },
  },
  {
    id: "K18",
    title: "connect to a socket that another program makes in the scope while the command runs",
    users: BOTH,
    alikeForRoot: "the kernel connects as for every user",
    aim: "read",
    ways: {
      "a stream": { does: { drive: reachesMeanwhile }, watch: () => [] },
    },
  },
  {
    id: "K03",
    title: "send a datagram to a socket at a path",
    users: BOTH,
    aim: "read",
    ways: {
      "outside": facing(() => datagramAt("s"), ({ out }) => sendTo(`"${out}/s"`)),
      "in the scope, made by another program": facing(
        ({ directory }) => datagramAt(`${directory}/s`),
        () => sendTo('"s"'),
      ),
    },
  },
  {
    id: "K04",
    title: "turn one of a pair of datagram sockets to a socket outside",
    users: BOTH,
    aim: "evidence",
    ways: {
      "connect again": facing(() => datagramAt("s"), ({ out }) =>
        python(`import socket
mine, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
mine.connect("${out}/s")
mine.send(b"x")
print("sent", 6 * 7)`), { evidence: /sent 42/ }),
    },
  },
  {
    id: "K05",
    title: "connect over TCP without a network",
    users: BOTH,
    aim: "evidence",
    ways: {
      ...Object.fromEntries(
        Object.entries(TCP_WAYS).map(([name, line]) => [`none: ${name}`, offline(reachesListener(line))]),
      ),
      // Commands have a loopback of their own with either, so one address of each family tells.
      ...Object.fromEntries(
        Object.entries(TCP_WAYS).map(([name, line]) => {
          const way = offline(reachesListener(line), "localhost");
          return [`localhost: ${name}`, ["IPv4", "IPv6"].includes(name) ? way : { ...way, extended: true }];
        }),
      ),
    },
  },
  {
    id: "K06",
    title: "connect over multipath TCP without a network",
    users: BOTH,
    aim: "evidence",
    ways: { "connect": offline(reachesListener((port) => tcp(port, "127.0.0.1", { protocol: 262 }))) },
  },
  {
    id: "K07",
    title: "connect with the first words (TCP Fast Open) without a network",
    users: BOTH,
    aim: "evidence",
    ways: {
      "sendto": offline(reachesListener((port) => fastOpen(port, 'peer.sendto(b"x", 0x20000000, address)'))),
      "sendmsg": offline(reachesListener((port) => fastOpen(port, 'peer.sendmsg([b"x"], [], 0x20000000, address)'))),
      "sendmmsg": offline(reachesListener((port) => fastOpen(port, SENDMMSG.replace("{port}", String(port))))),
    },
  },
  {
    id: "K08",
    title: "serve others without a network",
    users: BOTH,
    aim: "evidence",
    ways: {
      "bind": offline({
        does: driven((scene) =>
          listensForOthers(scene, 'listener = socket.socket()\nlistener.bind(("0.0.0.0", 0))\nlistener.listen()')
        ),
      }),
      "listen alone": offline({
        does: driven((scene) => listensForOthers(scene, "listener = socket.socket()\nlistener.listen()")),
      }),
      "multipath": offline({
        does: driven((scene) => listensForOthers(scene, "listener = socket.socket(2, 1, 262)\nlistener.listen()")),
      }),
    },
  },
  {
    id: "K09",
    title: "send datagrams without a network",
    users: BOTH,
    aim: "evidence",
    ways: {
      "UDP": offline(reachesDatagrams((port) =>
        python(`import socket
mine = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
mine.settimeout(5)
mine.sendto(b"x", ("127.0.0.1", ${port}))
print(mine.recv(100))`)
      )),
      "bash": offline(
        reachesDatagrams((port) => `exec 3<>/dev/udp/127.0.0.1/${port}; echo x >&3; timeout 5 head -n 1 <&3`),
      ),
      "UDP-Lite": offline({
        ...makes(2, 2, 136),
        needs: { machine: () => withoutFamily(2, 2, 136) },
      }),
    },
  },
  {
    id: "K10",
    title: "raw, packet and other rare sockets",
    users: ROOT,
    aim: "evidence",
    ways: { "raw": makes(2, 3, 1), "raw IPv6": makes(10, 3, 58), "packet": makes(17, 3, 768), ...RARE },
  },
  {
    id: "K11",
    title: "make a socket with io_uring",
    users: BOTH,
    aim: "evidence",
    ways: {
      "the ring": {
        does: () =>
          python(`${SYSTEM_CALL}
ring, _ = call("io_uring_setup", 4, ctypes.create_string_buffer(120))
if ring > 0: print("made", 6 * 7)`),
        evidence: /made 42/,
        needs: { machine: withoutRing },
      },
    },
  },
  {
    id: "K12",
    title: "system calls of the other instruction set",
    users: BOTH,
    aim: "evidence",
    ways: {
      "interrupt 0x80": {
        does: () => python(INTERRUPT),
        evidence: /made 42/,
        needs: { machine: () => Deno.build.arch === "x86_64" ? undefined : "there is no other instruction set here" },
      },
    },
  },
  {
    id: "K13",
    title: "a command calls its own server back over HTTP",
    notApplicable: "proven by the tests of the HTTP bridge (tests/http/*_test.ts)",
  },
  {
    id: "K14",
    title: "development services on the loopback without a network",
    users: BOTH,
    aim: "read",
    ways: {
      "an HTTP service": offline(reachesService((port) => `curl --silent --max-time 5 http://127.0.0.1:${port}/json`)),
      "by name": offline(reachesService((port) => `curl --silent --max-time 5 http://localhost:${port}/json`)),
      "an inspector's socket": offline(
        reachesService((port) =>
          `node -e 'fetch("http://127.0.0.1:${port}/json").then((r) => r.text()).then(console.log)'`
        ),
      ),
    },
  },
  {
    id: "K15",
    title: "take over the server's port",
    notApplicable: "proven by the tests of the HTTP bridge (tests/http/*_test.ts)",
  },
  { id: "K16", title: "ways around a filtering proxy", notApplicable: "there is no such proxy" },
  {
    id: "K17",
    title: "be handed a descriptor from outside",
    users: BOTH,
    aim: "read",
    ways: {
      "over a path in the scope": facing(({ directory }) => streamAt(`${directory}/s`), () => connectTo('"s"')),
      "over a pair turned around": facing(({ directory }) => streamAt(`${directory}/s`), () =>
        python(`${CONNECT}
mine, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
try: mine.connect("s")
except OSError:
  mine = socket.socket(socket.AF_UNIX)
  mine.connect("s")
talk(mine)`)),
    },
  },
];
