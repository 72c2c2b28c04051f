import { concatenate } from "../../base/bytes.ts";
import { CODES, type DnsCode, type DnsQuery, INTERNET, IS_RESPONSE, TYPES } from "./dns_message.ts";

/** One address of 4 or 16 bytes, or a code; `NOERROR` says that the name has nothing of the type. */
export type DnsAnswer = { readonly address: Uint8Array } | { readonly code: DnsCode };

/** Recursion available. If it is off, some clients report that nothing resolves. */
const RECURSION_AVAILABLE = 0x0080;
/** Seconds. An address keeps its name while the server runs; this only bounds what caches of commands hold. */
const TIME_TO_LIVE = 60;
/** Where the question begins, as a compressed name. */
const NAME_OF_QUESTION = 0xc00c;
/** UDP size that passes everywhere; no answer here is as long. */
const LARGEST_MESSAGE = 1232;
const WANTS_SIGNATURES = 0x8000;

/** The answer, at most 310 bytes: header, question, one address, OPT. Every client takes 512, so it is never cut. */
export function writeAnswer(query: DnsQuery, answer: DnsAnswer): Uint8Array<ArrayBuffer> {
  const address = "address" in answer ? answer.address : undefined;
  const code = "code" in answer ? CODES[answer.code] : CODES.NOERROR;
  const header = [
    query.id,
    IS_RESPONSE | query.repeated | RECURSION_AVAILABLE | (code & 0x0f),
    query.question.length > 0 ? 1 : 0,
    address === undefined ? 0 : 1,
    0,
    query.extension === undefined ? 0 : 1,
  ];
  return concatenate([
    uint16s(...header),
    query.question,
    ...address === undefined ? [] : [addressRecord(address)],
    ...query.extension === undefined ? [] : [optRecord(code, query.extension.wantsSignatures)],
  ]);
}

function addressRecord(address: Uint8Array): Uint8Array {
  const type = address.length === 4 ? TYPES.A : TYPES.AAAA;
  return concatenate([uint16s(NAME_OF_QUESTION, type, INTERNET, 0, TIME_TO_LIVE, address.length), address]);
}

/** The root as a name, then type, size, upper bits of the code and version 0, flags, no options. */
function optRecord(code: number, wantsSignatures: boolean): Uint8Array {
  const fields = uint16s(TYPES.OPT, LARGEST_MESSAGE, (code >> 4) << 8, wantsSignatures ? WANTS_SIGNATURES : 0, 0);
  return concatenate([new Uint8Array(1), fields]);
}

function uint16s(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [value >> 8, value & 0xff]));
}
