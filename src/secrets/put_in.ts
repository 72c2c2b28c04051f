/**
 * Puts secrets where a request has their placeholders (S33): in headers that carry credentials, and nowhere else. Pure.
 */
import { encodeText } from "../base/text.ts";
import { printUse, type SecretUse } from "./binding.ts";
import { isPermitted, type RequestLine } from "./permitted_request.ts";

/** A secret for one host. */
export interface HostSecret {
  readonly name: string;
  readonly placeholder: string;
  readonly value: string;
  /** The requests to this host that may carry it. */
  readonly uses: readonly SecretUse[];
}

/** A request with its secrets; or why it is not sent. */
export type PutIn =
  | {
    readonly headers: readonly (readonly [string, string])[];
    /** Names of the secrets in it, each once. */
    readonly used: readonly string[];
    /** What its answer must not show: all secrets of the host, because a server may repeat earlier requests. */
    readonly hidden: readonly string[];
  }
  | { readonly refused: string };

/** Headers that carry credentials. */
const CREDENTIAL = /^(?:authorization|(?:.+-)?(?:token|api-?key|auth(?:entication)?|secret|key))$/i;
/** Exceptions whose names look alike, but which servers store or show: an object's headers, the key of a payment. */
const STORED =
  /-meta-|^sec-|(?:^|-)(?:cache|continuation|csrf|deduplication|idempotency|page|partition|routing|sort|surrogate|xsrf)-/i;
const BASIC = /^(basic)\s+([A-Za-z0-9+/=]+)$/i;
/** Headers that override the request's method, path or host; gateways read `_` as `-`. */
const OTHER_METHOD = /^(?:x-(?:http-)?method(?:-override)?)$/i;
const OTHER_PATH =
  /^(?:request-uri|x-http-path-override|x-(?:envoy-original|forwarded|original|override|proxy|rewrite)-(?:method|path|prefix|query|ur[il]))$/i;
const OTHER_HOST = /^(?:forwarded|x-host|x-(?:forwarded|original)-(?:host|server)|x-http-host-override)$/i;
/** Parts of a large answer could each hold a part of a secret. */
const OF_PARTS: readonly string[] = ["range", "if-range"];

/** The request with its secrets. */
export function putIn(
  request: Pick<RequestLine, "method" | "target">,
  headers: readonly (readonly [string, string])[],
  secrets: readonly HostSecret[],
): PutIn {
  const names = headers.map(([name]) => name.replaceAll("_", "-"));
  const overrides = names.some((name) => OTHER_METHOD.test(name) || OTHER_PATH.test(name));
  const used = new Map<string, HostSecret>();
  const hidden = new Set(secrets.flatMap(({ value }) => formsOf(value)));
  const sent = headers.map(([name, value]): readonly [string, string] => {
    const changed = CREDENTIAL.test(name) && !STORED.test(name) ? withSecrets(value, secrets, used) : value;
    if (changed !== value && BASIC.test(changed)) hidden.add(changed.replace(/^\S+\s+/, ""));
    return [name, changed];
  });
  if (used.size > 0 && names.some((name) => OTHER_HOST.test(name))) {
    return { refused: "a header names another host" };
  }
  for (const { name, uses } of used.values()) {
    if (isPermitted(uses, { ...request, overrides })) continue;
    const allowed = uses.map(printUse).join(", ");
    return { refused: `secret ${name} is not for this request: --secret allows ${allowed}` };
  }
  const whole = used.size > 0 ? sent.filter(([name]) => !OF_PARTS.includes(name)) : sent;
  return { headers: whole, used: [...used.keys()], hidden: [...hidden] };
}

function withSecrets(value: string, secrets: readonly HostSecret[], used: Map<string, HostSecret>): string {
  const [, scheme, credentials] = BASIC.exec(value) ?? [];
  if (credentials === undefined) return replaced(value, secrets, used);
  const plain = decodeBase64(credentials);
  if (plain === undefined) return value;
  const changed = replaced(plain, secrets, used);
  return changed === plain ? value : `${scheme} ${encodeText(changed).toBase64()}`;
}

function replaced(text: string, secrets: readonly HostSecret[], used: Map<string, HostSecret>): string {
  return secrets.reduce((before, secret) => {
    if (!before.includes(secret.placeholder)) return before;
    used.set(secret.name, secret);
    return before.replaceAll(secret.placeholder, () => secret.value);
  }, text);
}

function decodeBase64(text: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(text));
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}

/** Bytes of one base64 group. */
const GROUP = 3;
const BITS = 6;

/** As it is, in JSON, percent-encoded, and within base64 wherever it begins; each once. `value`: visible ASCII. */
export function formsOf(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const base64 = Array.from({ length: GROUP }, (_, before) => withinBase64(value, before));
  const url = base64.map((one) => one.replaceAll("+", "-").replaceAll("/", "_"));
  return [...new Set([value, json, json.replaceAll("/", "\\/"), encodeURIComponent(value), ...base64, ...url])];
}

/** The characters that depend only on the value, if this many bytes precede it. */
function withinBase64(value: string, before: number): string {
  const text = encodeText("\0".repeat(before) + value).toBase64();
  const bits = (bytes: number) => bytes * 8 / BITS;
  return text.slice(Math.ceil(bits(before)), Math.floor(bits(before + value.length)));
}
