/** Y: what a connection says once it stands, where one address serves many names (S31). */
import { BOTH, type Row } from "../frame/attack.ts";
import { LISTED, OTHER, PORT, volley } from "../means/own_machine.ts";

/** Python: a ClientHello of extensions, in records; each holds `tag` where the random bytes are. */
export const HELLO = `
def ext(kind, data): return struct.pack(">HH", kind, len(data)) + data
def sni(*names):
  each = b"".join(b"\\0" + struct.pack(">H", len(one)) + one for one in names)
  return ext(0, struct.pack(">H", len(each)) + each)
def hello(tag, *extensions):
  all = b"".join(extensions)
  body = b"\\3\\3" + tag.ljust(32) + b"\\0\\0\\2\\x13\\1\\1\\0" + (struct.pack(">H", len(all)) + all if all else b"")
  return b"\\1" + len(body).to_bytes(3, "big") + body
def records(message, size=16000):
  parts = [message[at:at + size] for at in range(0, len(message), size)]
  return b"".join(b"\\x16\\3\\1" + struct.pack(">H", len(one)) + one for one in parts)
`;
export const MINE = `b"${LISTED}"`;
export const THEIRS = `b"${OTHER}"`;

/** Sends an expression of Python to a port of the listed name. */
export function sends(bytes: string, port = 443): string {
  return `talk("${LISTED}", ${port}, ${bytes})`;
}

/** Sends a request of lines to port 80 of the listed name; \`~\` stands for its tag. */
export function asks(...parts: readonly string[]): string {
  const bytes = parts.map((part) => `b${JSON.stringify(part).replaceAll("\\u00", "\\x")}.replace(b"~", tag)`);
  return `talk("${LISTED}", 80, ${bytes.join(", ")})`;
}

const FIRST = `GET / HTTP/1.1\r\nHost: ${LISTED}\r\n`;
const POST = `POST / HTTP/1.1\r\nHost: ${LISTED}\r\n`;
const SECOND = `GET /~ HTTP/1.1\r\nHost: ${OTHER}\r\n\r\n`;
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;

export const NETWORK_PROTOCOLS: readonly Row[] = [
  {
    id: "Y05",
    title: "ask a listed name's address for another name, or hide it, in TLS",
    users: BOTH,
    aim: "evidence",
    ways: {
      "first messages": volley({
        "another name": sends(`records(hello(tag, sni(${THEIRS})))`),
        "another name on a port of any protocol": sends(`records(hello(tag, sni(${THEIRS})))`, PORT),
        "no name": sends(`records(hello(tag, ext(43, b"\\2\\3\\4")))`),
        "no extension": sends("records(hello(tag))"),
        "another name in many records": sends(`records(hello(tag, sni(${THEIRS})), 24)`),
        "another name in two segments": sends(
          `*(lambda all: (all[:60], all[60:]))(records(hello(tag, sni(${THEIRS}))))`,
        ),
        "two extensions": sends(`records(hello(tag, sni(${MINE}), sni(${THEIRS})))`),
        "two names in one": sends(`records(hello(tag, sni(${MINE}, ${THEIRS})))`),
        "a NUL": sends(`records(hello(tag, sni(${MINE} + b"\\0." + ${THEIRS})))`),
        "a dot at the end": sends(`records(hello(tag, sni(${THEIRS} + b".")))`),
        "a hidden name": sends(`records(hello(tag, sni(${MINE}), ext(0xfe0d, bytes(64))))`),
        "too long": sends(`records(hello(tag, sni(${MINE}), ext(21, bytes(17000))))`),
        "an alert before": sends(`b"\\x15\\3\\1\\0\\2\\1\\0" + records(hello(tag, sni(${THEIRS})))`),
        "SSL 2": sends(`b"\\x80\\x2e\\1\\3\\1" + tag.ljust(44)`),
        "plain HTTP": sends(`b"GET / HTTP/1.1\\r\\nHost: ${LISTED}\\r\\nX: " + tag + b"\\r\\n\\r\\n"`),
        "SSH": sends(`b"SSH-2.0-" + tag + b"\\r\\n"`),
      }, HELLO),
    },
  },
  {
    id: "Y06",
    title: "ask a listed name's address for another name over plain HTTP",
    users: BOTH,
    aim: "evidence",
    ways: {
      "first requests": volley({
        "another host": asks(SECOND),
        "two hosts": asks(`${FIRST}Host: ${OTHER}~\r\n\r\n`),
        "two hosts, the other first": asks(`GET /~ HTTP/1.1\r\nHost: ${OTHER}\r\nHost: ${LISTED}\r\n\r\n`),
        "another host in the target": asks(`GET http://${OTHER}/~ HTTP/1.1\r\nHost: ${LISTED}\r\n\r\n`),
        "a user in the target": asks(`GET http://${LISTED}@${OTHER}/~ HTTP/1.1\r\nHost: ${LISTED}\r\n\r\n`),
        "a tunnel": asks(`CONNECT ${OTHER}:443 HTTP/1.1\r\nHost: ${LISTED}\r\nX: ~\r\n\r\n`),
        "a tunnel to itself": asks(`CONNECT ${LISTED}:80 HTTP/1.1\r\nHost: ${LISTED}\r\nX: ~\r\n\r\n`),
        "no host": asks(`GET /~ HTTP/1.0\r\n\r\n`),
        "a folded line": asks(`${FIRST} ${OTHER}~\r\n\r\n`),
        "a NUL": asks(`GET /~ HTTP/1.1\r\nHost: ${LISTED}\0.${OTHER}\r\n\r\n`),
        "a space before the colon": asks(`${FIRST}Host : ${OTHER}~\r\n\r\n`),
        "a lone line feed": asks(`${FIRST}X: ~\nHost: ${OTHER}\r\n\r\n`),
        "a lone carriage return": asks(`${FIRST}X: ~\rHost: ${OTHER}\r\n\r\n`),
        "an empty line before": asks(`\r\n\r\n${SECOND}`),
        "in two segments": asks("GET /~ HTTP/1.1\r\nHo", `st: ${OTHER}\r\n\r\n`),
        "HTTP 2": asks("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n~\r\n\r\n"),
        "HTTP 0.9": asks("GET /~\r\n\r\n"),
        "mail": asks("EHLO ~\r\n\r\n"),
      }),
    },
  },
  {
    id: "Y07",
    title: "ask for another name in a later request of a connection",
    users: BOTH,
    aim: "evidence",
    ways: {
      "second requests": volley({
        "behind the first": asks(`${FIRST}\r\n${SECOND}`),
        "in another segment": asks(`${FIRST}\r\n`, SECOND),
        "after the answer": `with socket.create_connection(("${LISTED}", 80), 20) as peer:
  peer.sendall(b"GET / HTTP/1.1\\r\\nHost: ${LISTED}\\r\\n\\r\\n")
  peer.recv(100)
  peer.sendall(b"GET /" + tag + b" HTTP/1.1\\r\\nHost: ${OTHER}\\r\\n\\r\\n")
  peer.recv(100)`,
        "behind a body": asks(`${POST}Content-Length: 5\r\n\r\nhello${SECOND}`),
        "behind a body in segments": asks(`${POST}Content-Length: 5\r\n\r\n`, "hel", `lo${SECOND}`),
        "behind a body in parts": asks(`${CHUNKED}5\r\nhello\r\n0\r\n\r\n${SECOND}`),
        "behind parts in segments": asks(CHUNKED, "5\r\nhel", "lo\r\n0\r\n", `\r\n${SECOND}`),
        "behind a part with an extension": asks(`${CHUNKED}0;x\n\r\n\r\n${SECOND}`),
        "behind a part of unusual lines": asks(`${CHUNKED}0\n\n${SECOND}`),
        "behind fields after the parts": asks(`${CHUNKED}0\r\nX: y\r\n\r\n${SECOND}`),
        "as a body of GET": asks(`${FIRST}Content-Length: 60\r\n\r\n${SECOND}`),
        "two lengths": asks(`${POST}Content-Length: 0\r\nContent-Length: 60\r\n\r\n${SECOND}`),
        "a length and parts": asks(`${POST}Content-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`),
        "parts of another coding": asks(`${POST}Transfer-Encoding: x, chunked\r\n\r\n0\r\n\r\n${SECOND}`),
        "parts of HTTP 1.0": asks(`${CHUNKED.replace("1.1", "1.0")}0\r\n\r\n${SECOND}`),
        "another protocol": asks(`${FIRST}Connection: upgrade\r\nUpgrade: h2c\r\n\r\n${SECOND}`),
        "a kept connection": asks(`${FIRST.replace("1.1", "1.0")}Connection: keep-alive\r\n\r\n${SECOND}`),
      }),
    },
  },
];
