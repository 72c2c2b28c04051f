/** Removes secrets from log records (L8); it rather removes too much than too little. Pure. */
import type { LogFields } from "../base/log.ts";

const REDACTED = "[redacted]";

/** Names whose value is a secret, as they appear in assignments, flags, headers and JSON keys. */
const SECRET_NAME = "(?:[\\w-]{0,40}(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|" +
  "private[_-]?key|credential|cookie|code[_-]?verifier|(?:authorization|device)[_-]code|client[_-]assertion)s?)";
const SECRET_NAME_REGEXP = new RegExp(`^(?:-{0,2}${SECRET_NAME}|(?:proxy-)?authorization)$`, "i");

/** Contains the word token, but is not a secret. */
const HARMLESS_NAME_REGEXP = /^progress_?token$/i;

/**
 * Patterns of secrets in any text, with their replacements. No text makes them slow: quantifiers are bounded, or a match
 * cannot be restarted inside itself.
 */
const SECRETS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [
    /\b((?:proxy-)?authorization["']?\s{0,9}[:=]\s{0,9}["']?)(?:(?:bearer|basic|digest|token)\s+)?[^\s"',;]+/gi,
    `$1${REDACTED}`,
  ],
  [/\b(bearer\s{1,9})[\w.~+/=-]{4,}/gi, `$1${REDACTED}`],
  [new RegExp(`(${SECRET_NAME}["']?\\s{0,9}[:=]\\s{0,9})(?:"[^"]*"|'[^']*'|[^\\s"'&,;}]+)`, "gi"), `$1${REDACTED}`],
  [new RegExp(`(--${SECRET_NAME}\\s{1,9})(?:"[^"]*"|'[^']*'|[^\\s"'-][^\\s"']*)`, "gi"), `$1${REDACTED}`],
  // Parameters of a login in an address or form; elsewhere these are ordinary words.
  [/([?&#](?:code|state)=)[^\s&#"']+/gi, `$1${REDACTED}`],
  [/\b((?:code|state)=)[^\s&#"'=]{1,4096}(?=&\w)/gi, `$1${REDACTED}`],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:@/]{0,256}):[^\s@/]{1,1024}@/gi, `$1:${REDACTED}@`],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, REDACTED],
  [/\bA(?:KIA|SIA)[0-9A-Z]{16}\b/g, REDACTED],
  [/\bgh[pousr]_\w{16,}/g, REDACTED],
  [/\bgithub_pat_\w{16,}/g, REDACTED],
  [/\bglpat-[\w-]{16,}/g, REDACTED],
  [/\bnpm_[A-Za-z0-9]{16,}/g, REDACTED],
  [/\bsk-[\w-]{16,}/g, REDACTED],
  [/\bxox[a-z]-[\w-]{8,}/g, REDACTED],
  [/\bAIza[\w-]{30,}/g, REDACTED],
];

/** Three words separated by dots, scanned once from the start, so that `-eyJ-eyJ…` is not read repeatedly. */
const DOTTED_WORDS = /(?<![\w-])[\w-]{11,}\.[\w-]{8,}\.[\w-]*/g;
/** Where a JSON web token begins in the first of them. */
const TOKEN_START = /\beyJ(?=[\w-]{8})/;

/** Fields nested more deeply than this are left out. */
const DEEPEST = 6;

/**
 * `text` with every recognisable secret replaced by `[redacted]`.
 *
 * @example `redactText("curl --token abc")` is `"curl --token [redacted]"`
 */
export function redactText(text: string): string {
  const rest = SECRETS.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
  return rest.replace(DOTTED_WORDS, withoutToken);
}

function withoutToken(words: string): string {
  const start = words.slice(0, words.indexOf(".")).search(TOKEN_START);
  return start < 0 ? words : `${words.slice(0, start)}${REDACTED}`;
}

/** Redacts fields: the value of a field with a secret's name is removed, and every string inside is searched. */
export function redactFields(fields: LogFields): LogFields {
  return redactObject(fields, 0);
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint") return String(value);
  if (value instanceof Error) return redactText(value.message);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "[too deep]";
  return Array.isArray(value) ? redactList(value, depth + 1) : redactObject(value, depth + 1);
}

/** In an argv the secret is the word after the flag. */
function redactList(list: readonly unknown[], depth: number): unknown[] {
  return list.map((value, index) => {
    const before: unknown = list[index - 1];
    const follows = typeof before === "string" && before.startsWith("-") && isSecretName(before);
    return follows && typeof value === "string" ? REDACTED : redactValue(value, depth);
  });
}

function redactObject(object: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, isSecretName(name) ? REDACTED : redactValue(value, depth)]),
  );
}

function isSecretName(name: string): boolean {
  return SECRET_NAME_REGEXP.test(name) && !HARMLESS_NAME_REGEXP.test(name);
}
