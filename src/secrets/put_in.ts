/** Puts secrets where a request has their placeholders (S33): in headers that carry credentials, and nowhere else. Pure. */
import { encodeText } from "../base/text.ts";
import { printUse, type SecretUse } from "./binding.ts";
import { isPermitted, type RequestLine } from "./permitted_request.ts";

/** A secret, as one host takes it. */
export interface HostSecret {
  readonly name: string;
  readonly placeholder: string;
  readonly value: string;
  /** What requests to this host may carry it. */
  readonly uses: readonly SecretUse[];
}

/** A request with its secrets; or why it is not sent. */
export type PutIn =
  | {
    readonly headers: readonly (readonly [string, string])[];
    /** Names of the secrets in it, each once. */
    readonly used: readonly string[];
    /** What its answer may not show: the secrets, and what was made of them. */
    readonly hidden: readonly string[];
  }
  | { readonly refused: string };

/** Headers that carry credentials. What an object store keeps with an object could be read back elsewhere. */
const CREDENTIAL = /^(?:authorization|(?:.+-)?(?:token|api-?key|auth(?:entication)?|secret|key))$/i;
const STORED = /-meta-/i;
const BASIC = /^(basic)\s+([A-Za-z0-9+/=]+)$/i;
/** Headers with which a server takes another method than the request's. */
const METHOD_OVERRIDE = /^x-(?:http-)?method(?:-override)?$/i;

/** The request with its secrets. */
export function putIn(
  request: Pick<RequestLine, "method" | "target">,
  headers: readonly (readonly [string, string])[],
  secrets: readonly HostSecret[],
): PutIn {
  const overridesMethod = headers.some(([name]) => METHOD_OVERRIDE.test(name));
  const used = new Map<string, HostSecret>();
  const hidden = new Set<string>();
  const sent = headers.map(([name, value]): readonly [string, string] => {
    const changed = CREDENTIAL.test(name) && !STORED.test(name) ? withSecrets(value, secrets, used) : value;
    if (changed !== value) hidden.add(changed.replace(/^\S+\s+/, ""));
    return [name, changed];
  });
  for (const { name, uses } of used.values()) {
    if (isPermitted(uses, { ...request, overridesMethod })) continue;
    const allowed = uses.map(printUse).join(", ");
    return { refused: `secret ${name} is not for this request: --secret allows ${allowed}` };
  }
  for (const { value } of used.values()) hidden.add(value);
  return { headers: sent, used: [...used.keys()], hidden: [...hidden] };
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
    return before.replaceAll(secret.placeholder, secret.value);
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
