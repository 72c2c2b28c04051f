/** Whether a request may carry a secret (S33). Pure. */
import type { SecretUse } from "./binding.ts";

/** A request as it came. */
export interface RequestLine {
  readonly method: string;
  /** As it was sent, with what follows `?`. */
  readonly target: string;
  /** Whether a header asks for another method than the request's. */
  readonly overridesMethod: boolean;
}

/** What servers may read as another path than it says: parts that lead elsewhere, and hidden separators. */
const AMBIGUOUS = /\/\/|\\|[;#]|%(?:2e|2f|5c|25|00)|(?:^|\/)\.\.?(?:\/|$)/i;

/** Some frameworks take the method from it. */
const METHOD_FIELD = /[?&]_method=/i;

/** Of git over HTTPS and its large files (git's http-protocol, Git LFS's batch and locking API). */
const GIT_REQUESTS: readonly (readonly [method: string, pattern: RegExp])[] = [
  ["GET", /^[^?]*\/info\/refs\?service=git-(?:upload|receive)-pack$/],
  ["POST", /^[^?]*\/git-(?:upload|receive)-pack$/],
  ["POST", /^[^?]*\/info\/lfs\/(?:objects\/batch|locks(?:\/verify|\/[^/?]+\/unlock)?)$/],
  ["GET", /^[^?]*\/info\/lfs\/locks(?:\?|$)/],
];

/** Whether one of these uses permits it. */
export function isPermitted(uses: readonly SecretUse[], request: RequestLine): boolean {
  return uses.some((use) => permits(use, request));
}

function permits(use: SecretUse, { method, target, overridesMethod }: RequestLine): boolean {
  if (use.kind === "any") return true;
  const path = target.split("?", 1)[0] ?? "";
  if (AMBIGUOUS.test(path) || overridesMethod || METHOD_FIELD.test(target)) return false;
  if (use.kind === "git") return GIT_REQUESTS.some(([one, pattern]) => one === method && pattern.test(target));
  return (use.method === "*" || use.method === method) && patternOf(use.path).test(path);
}

function patternOf(path: string): RegExp {
  const parts = path.split("*").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const last = parts.pop() ?? "";
  const before = parts.join("[^/]*");
  if (parts.length === 0) return new RegExp(`^${last}$`);
  return new RegExp(`^${before}${last === "" ? ".*" : `[^/]*${last}`}$`);
}
