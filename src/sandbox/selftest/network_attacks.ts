/**
 * Attacks of the self-test on a network by name (S32): a name and an address that are not listed, and the side ways. The
 * same process asks for a listed name, whose answer shows that the resolver works at all.
 */
import { encodeText } from "../../base/text.ts";
import { AF_INET, O_CLOEXEC, type Processor, SOCK_STREAM, SYSTEM_CALLS } from "../../system/syscalls.ts";
import { LITTLE_ENDIAN } from "../../system/c_library.ts";
import type { Table, TableWord } from "../launcher/image/table.ts";
import type { Finding, Verdict } from "./judge.ts";

/** Where the attacks go. */
export interface NetworkPlace {
  /** A name that no list has. */
  readonly refused: string;
  /** A name that the list has; undefined: it has addresses alone. */
  readonly listed: string | undefined;
  /** A port that the list has. */
  readonly port: number;
  /** A port at which a program outside listens on the machine's loopback. */
  readonly outside: number;
}

const SOCK_DGRAM = 2;
const SOL_SOCKET = 1;
const SO_RCVTIMEO = 20;
/** Of `connect` too. */
const SO_SNDTIMEO = 21;
/** A connection that does not stand ends the call, not the process. */
const MSG_NOSIGNAL = 0x4000;
const PATIENCE_S = 5;
const SOCKET_FD = 50;
const ANSWER_BYTES = 512;
const WORD_BYTES = 8;
const FAILED = 0xffff_ffff;
const RESOLVER = [127, 0, 0, 1];
const DNS_PORT = 53;
/** An address of documentation, which no network has. */
const ELSEWHERE = [203, 0, 113, 1];
/** An address of names that no name has. */
const NAMELESS = [198, 19, 255, 254];

/** What the process wrote: two answers of the resolver, then a word for each attack. */
const WORDS = ["address", "nameless", "datagram", "loopback", "relay"] as const;
export const NETWORK_RESULTS_BYTES = 2 * ANSWER_BYTES + WORDS.length * WORD_BYTES;

/** `table`, the session's policy, then the attacks; the process ends after them. */
export function networkAttackTable(policy: Table, place: NetworkPlace, processor: Processor): Table {
  const table = policy.continued();
  const sys = SYSTEM_CALLS[processor];
  const results = new Uint8Array(NETWORK_RESULTS_BYTES);
  const view = new DataView(results.buffer);
  WORDS.forEach((_, at) => view.setUint32(2 * ANSWER_BYTES + at * WORD_BYTES, FAILED, LITTLE_ENDIAN));
  const { offset } = table.bytes(results);
  const at = (bytes: number): TableWord => ({ kind: "data", offset: offset + bytes });
  const soft = (number: number, args: readonly TableWord[]) => table.call("attack", number, args, { mode: "soft" });
  const open = (kind: number, to: Uint8Array) => {
    table.passOn(soft(sys.socket, [AF_INET, kind | O_CLOEXEC, 0]), soft(sys.dup3, [-1, SOCKET_FD, O_CLOEXEC]));
    for (const option of [SO_RCVTIMEO, SO_SNDTIMEO]) {
      soft(sys.setsockopt, [SOCKET_FD, SOL_SOCKET, option, table.words(PATIENCE_S, 0), 16]);
    }
    return soft(sys.connect, [SOCKET_FD, table.bytes(to), to.length]);
  };
  const keep = (entry: number, word: typeof WORDS[number]) =>
    table.send(entry, at(2 * ANSWER_BYTES + WORDS.indexOf(word) * WORD_BYTES));
  [place.refused, place.listed].forEach((name, index) => {
    if (name === undefined) return;
    const query = queryFor(name);
    open(SOCK_DGRAM, inet(RESOLVER, DNS_PORT));
    soft(sys.write, [SOCKET_FD, table.bytes(query), query.length]);
    soft(sys.read, [SOCKET_FD, at(index * ANSWER_BYTES), ANSWER_BYTES]);
  });
  keep(open(SOCK_STREAM, inet(ELSEWHERE, place.port)), "address");
  keep(open(SOCK_DGRAM, inet(ELSEWHERE, DNS_PORT)), "datagram");
  keep(open(SOCK_STREAM, inet(RESOLVER, place.outside)), "loopback");
  // The relay takes the connection and cuts it off: nothing may be read.
  keep(open(SOCK_STREAM, inet(NAMELESS, place.port)), "relay");
  soft(sys.sendto, [SOCKET_FD, table.text("x"), 1, MSG_NOSIGNAL, 0, 0]);
  keep(soft(sys.read, [SOCKET_FD, table.words(0), 1]), "nameless");
  const size = NETWORK_RESULTS_BYTES;
  table.call("tell the results", sys.write, [1, at(0), size], { mode: "equals", expect: size });
  table.call("end", sys.exit_group, [0]);
  return table;
}

/** What is known outside. */
export interface NetworkFacts {
  /** The program outside could be reached from outside. */
  readonly outside: boolean;
  /** The relay would pass on a connection to the name that no list has. */
  readonly passedOn: boolean;
  /** It would dial addresses for a name that lead to the machine or its networks. */
  readonly dialled: boolean;
}

/** What was found, from what the process wrote. */
export function judgeNetwork(
  bytes: Uint8Array,
  { listed }: Pick<NetworkPlace, "listed">,
  { outside, passedOn, dialled }: NetworkFacts,
): readonly Finding[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const word = (name: typeof WORDS[number]) =>
    view.getUint32(2 * ANSWER_BYTES + WORDS.indexOf(name) * WORD_BYTES, LITTLE_ENDIAN);
  const breachIf = (worked: boolean): Verdict => worked ? "breached" : "denied";
  const failed = (name: typeof WORDS[number]) => breachIf(word(name) !== FAILED);
  const works = listed === undefined || isSynthetic(bytes.subarray(ANSWER_BYTES, 2 * ANSWER_BYTES));
  const refuses = codeOf(bytes.subarray(0, ANSWER_BYTES)) === NXDOMAIN;
  return [
    { id: "network-listed", title: "not look up a listed name", verdict: breachIf(!works) },
    { id: "network-relay", title: "not reach what stands for names", verdict: breachIf(word("relay") === FAILED) },
    { id: "network-name", title: "look up a name that is not listed", verdict: breachIf(!refuses) },
    { id: "network-passed", title: "connect to a name that is not listed", verdict: breachIf(passedOn) },
    { id: "network-dialled", title: "reach this machine or its networks by a name", verdict: breachIf(dialled) },
    { id: "network-address", title: "connect to an address that is not listed", verdict: failed("address") },
    { id: "network-datagram", title: "send a datagram out", verdict: failed("datagram") },
    {
      id: "network-nameless",
      title: "be answered at an address without a name",
      verdict: breachIf(word("nameless") !== FAILED && word("nameless") !== 0),
    },
    {
      id: "network-loopback",
      title: "reach the loopback of the machine",
      verdict: outside ? failed("loopback") : "impossible",
    },
  ];
}

const NXDOMAIN = 3;

/** Undefined: there is no answer. */
function codeOf(answer: Uint8Array): number | undefined {
  const [, , flags = 0, code = 0] = answer;
  return flags < 128 ? undefined : code & 15;
}

/** Whether the answer ends with an address that stands for a name. */
function isSynthetic(answer: Uint8Array): boolean {
  const text = answer.join(",");
  return codeOf(answer) === 0 && /,0,4,198,1[89],/.test(text);
}

/** A question for an address of IPv4 to this resolver alone: recursion is not desired, so that no name is looked up. */
function queryFor(name: string): Uint8Array {
  const labels = name.split(".").flatMap((label) => [label.length, ...encodeText(label)]);
  const header = [0x5a, 0x5a, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
  return Uint8Array.from([...header, ...labels, 0, 0, 1, 0, 1]);
}

/** `struct sockaddr_in` */
function inet(address: readonly number[], port: number): Uint8Array {
  return new Uint8Array([AF_INET, 0, port >> 8, port & 255, ...address, 0, 0, 0, 0, 0, 0, 0, 0]);
}
