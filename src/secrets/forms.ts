/** How servers write a secret in their answers (S33). Pure. */
import { encodeText } from "../base/text.ts";

/** Bytes that stand together in base64. */
const GROUP = 3;
const BITS = 6;

/** As it is, in JSON, percent-encoded, and within base64 wherever it begins; each once. `value`: visible ASCII. */
export function formsOf(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const base64 = Array.from({ length: GROUP }, (_, before) => withinBase64(value, before));
  const url = base64.map((one) => one.replaceAll("+", "-").replaceAll("/", "_"));
  return [...new Set([value, json, json.replaceAll("/", "\\/"), encodeURIComponent(value), ...base64, ...url])];
}

/** The characters that say only the value, where so many bytes come before it. */
function withinBase64(value: string, before: number): string {
  const text = encodeText("\0".repeat(before) + value).toBase64();
  const bits = (bytes: number) => bytes * 8 / BITS;
  return text.slice(Math.ceil(bits(before)), Math.floor(bits(before + value.length)));
}
