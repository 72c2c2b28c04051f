/** Queries as clients write them, from parts that a test may choose wrongly. */
import { concatenate } from "../../../base/bytes.ts";
import { encodeText } from "../../../base/text.ts";

export interface QueryParts {
  readonly id?: number;
  readonly flags?: number;
  /** Numbers of questions, answers, authorities and additional records. */
  readonly counts?: readonly number[];
  readonly name?: string | Uint8Array;
  readonly type?: number;
  readonly dnsClass?: number;
  /** What follows the question. */
  readonly rest?: Uint8Array;
}

export const RECURSION_DESIRED = 0x0100;

/** The bytes of a query; by default for the address of `github.com`. */
export function queryBytes(parts: QueryParts = {}): Uint8Array<ArrayBuffer> {
  const { id = 0x1234, flags = RECURSION_DESIRED, rest = new Uint8Array(0), name = "github.com" } = parts;
  const { counts = [1, 0, 0, rest.length > 0 ? 1 : 0], type = 1, dnsClass = 1 } = parts;
  return concatenate([
    uint16(id, flags, ...counts),
    typeof name === "string" ? nameBytes(name) : name,
    uint16(type, dnsClass),
    rest,
  ]);
}

/** A name with dots as labels. */
export function nameBytes(name: string): Uint8Array<ArrayBuffer> {
  const labels = name === "" ? [] : name.split(".");
  return concatenate([
    ...labels.map((label) => concatenate([Uint8Array.of(label.length), encodeText(label)])),
    Uint8Array.of(0),
  ]);
}

/** An OPT record with a cookie, as `dig` sends it. */
export function optRecord({ version = 0, flags = 0 } = {}): Uint8Array<ArrayBuffer> {
  const cookie = concatenate([uint16(10, 8), Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)]);
  return concatenate([
    Uint8Array.of(0),
    uint16(41, 1232),
    Uint8Array.of(0, version),
    uint16(flags, cookie.length),
    cookie,
  ]);
}

function uint16(...values: readonly number[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(values.flatMap((value) => [value >> 8, value & 0xff]));
}
