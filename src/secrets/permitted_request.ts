/** Whether a request may carry a secret (S33). Pure. */
import { attempt } from "../base/errors.ts";
import type { SecretUse } from "./binding.ts";

/** A request as it came. */
export interface RequestLine {
  readonly method: string;
  /** As it was sent, including the query. */
  readonly target: string;
  /** Whether a header asks for another method or path than the request's. */
  readonly overrides: boolean;
}

/** The only characters of a path: servers read others, and these in encoded form, in different ways. */
const PLAIN =
  /^\/(?:[\w!$&'()*+,\-./:=@~]|%(?:2[012467-9a-d]|3[0-9ac-e]|[46][0-9a-f]|5[0-9abd-f]|7[0-9a-e]|[89a-f][0-9a-f]))*$/i;
/** Segments that lead elsewhere, also with spaces that some servers remove. */
const LEADS_AWAY = /\/\/|\/[\s.]+(?:\/|$)/;
/** Characters that may be read as others: a full-width `/`, an ellipsis. */
const SEPARATOR = /[#%./;?\\]/;

/** Some frameworks take the method from it. */
const METHOD_FIELD = /^(?:_method|[$_]?http_?method|x[-_]http[-_]method(?:[-_]override)?)(?:\W|$)/i;

/** Of git over HTTPS and its large files (git's http-protocol, Git LFS's batch and locking API). */
const GIT_REQUESTS: readonly (readonly [method: string, pattern: RegExp])[] = [
  ["GET", /^[^?]*\/info\/refs\?service=git-(?:upload|receive)-pack$/],
  ["POST", /^[^?]*\/git-(?:upload|receive)-pack$/],
  ["POST", /^[^?]*\/info\/lfs\/(?:objects\/batch|locks(?:\/verify|\/[^/?]+\/unlock)?)$/],
  ["GET", /^[^?]*\/info\/lfs\/locks(?:\?|$)/],
];

/** Whether one of these bindings permits it. */
export function isPermitted(uses: readonly SecretUse[], request: RequestLine): boolean {
  return uses.some((use) => permits(use, request));
}

function permits(use: SecretUse, { method, target, overrides }: RequestLine): boolean {
  if (use.kind === "any") return true;
  const [path = ""] = target.split("?", 1);
  if (!isPlain(path) || overrides || asksForMethod(target.slice(path.length + 1))) return false;
  if (use.kind === "git") return GIT_REQUESTS.some(([one, pattern]) => one === method && pattern.test(target));
  return (use.method === "*" || use.method === method) && patternOf(use.path).test(path);
}

/** Whether all servers read it as the same path. */
function isPlain(path: string): boolean {
  if (!PLAIN.test(path)) return false;
  const decoded = attempt(URIError, () => decodeURIComponent(path));
  if (decoded === undefined || LEADS_AWAY.test(decoded)) return false;
  return ![...decoded].some((one) => one > "~" && SEPARATOR.test(one.normalize("NFKC")));
}

function asksForMethod(query: string): boolean {
  return [...new URLSearchParams(query.replaceAll(";", "&")).keys()].some((name) => METHOD_FIELD.test(name));
}

function patternOf(path: string): RegExp {
  const parts = path.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const last = parts.pop() ?? "";
  const before = parts.join("[^/]*");
  if (parts.length === 0) return new RegExp(`^${last}$`);
  return new RegExp(`^${before}${last === "" ? ".*" : `[^/]*${last}`}$`);
}
