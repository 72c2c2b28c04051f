/** A DNS query of a command, which may be hostile, read strictly: anything that two parsers could read differently is malformed. */
import { ByteReader } from "../parse/byte_reader.ts";
import { byteText, nameOfLabels } from "../parse/host_name.ts";
import { type DnsCode, type DnsQuery, HEADER_SIZE, IS_RESPONSE, TYPES } from "./dns_message.ts";

/** The operation, recursion desired, checking disabled. */
const REPEATED_FLAGS = 0x7910;
const RECURSION_DESIRED = 0x0100;
const OPERATION = 0x7800;
const LONGEST_LABEL = 63;
/** Most bytes of a name, including the lengths of the labels and the root. */
const LONGEST_NAME = 255;
const VERSION_0 = 0;
const WANTS_SIGNATURES = 0x8000;

/** Undefined: it gets no answer, because it is an answer itself or has no whole header. */
export function readQuery(message: Uint8Array): DnsQuery | undefined {
  const reader = new ByteReader(message);
  const [id, flags] = [reader.uint(2), reader.uint(2)];
  const [questions, answers, authorities, additional] = [
    reader.uint(2),
    reader.uint(2),
    reader.uint(2),
    reader.uint(2),
  ];
  if (reader.isShort || (flags & IS_RESPONSE) !== 0) return undefined;
  const head = { id, repeated: flags & REPEATED_FLAGS, isRecursive: (flags & RECURSION_DESIRED) !== 0 };
  const faulty = (fault: DnsCode): DnsQuery => ({ ...head, ...NOTHING, fault });
  if ((flags & OPERATION) !== 0) return faulty("NOTIMP");
  if (questions !== 1 || answers + authorities !== 0 || additional > 1) return faulty("FORMERR");
  const labels = readLabels(reader);
  const [type, dnsClass] = [reader.uint(2), reader.uint(2)];
  if (labels === undefined || reader.isShort) return faulty("FORMERR");
  const asked = {
    question: message.slice(HEADER_SIZE, reader.at),
    name: nameOfLabels(labels),
    shownName: labels.map(shownLabel).join("."),
    type,
    class: dnsClass,
  };
  const extension = additional === 1 ? readExtension(reader) : undefined;
  if (extension === "malformed" || reader.left > 0) return faulty("FORMERR");
  const fault = extension !== undefined && extension.version !== VERSION_0 ? "BADVERS" : undefined;
  return { ...head, ...asked, extension, fault };
}

/** What is known of a query that cannot be read. */
const NOTHING = {
  question: new Uint8Array(0),
  name: undefined,
  shownName: "",
  type: 0,
  class: 0,
  extension: undefined,
} as const;

/** Undefined: malformed, or compressed, which no question needs. */
function readLabels(reader: ByteReader): string[] | undefined {
  const start = reader.at;
  const labels: string[] = [];
  for (;;) {
    const length = reader.uint(1);
    if (length > LONGEST_LABEL || reader.isShort) return undefined;
    if (length === 0) return reader.at - start <= LONGEST_NAME ? labels : undefined;
    labels.push(byteText(reader.take(length)));
    if (reader.at - start > LONGEST_NAME) return undefined;
  }
}

/** The OPT record. Its options (cookies, padding, a client's subnet) are not needed for any answer. */
function readExtension(
  reader: ByteReader,
): { readonly version: number; readonly wantsSignatures: boolean } | "malformed" {
  const [root, type, , , version, flags] = [
    reader.uint(1),
    reader.uint(2),
    reader.uint(2),
    reader.uint(1),
    reader.uint(1),
    reader.uint(2),
  ];
  reader.sized(2);
  if (reader.isShort || root !== 0 || type !== TYPES.OPT) return "malformed";
  return { version: version ?? 0, wantsSignatures: ((flags ?? 0) & WANTS_SIGNATURES) !== 0 };
}

/** A label as in zone files: every unusual byte as `\ddd`. */
function shownLabel(label: string): string {
  return label.replaceAll(/[^\w*-]/g, (byte) => `\\${String(byte.charCodeAt(0)).padStart(3, "0")}`);
}
