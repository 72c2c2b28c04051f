/** Reads one directory from a client's list of roots (H3). Pure. */
import { attempt } from "../../base/errors.ts";
import { truncate } from "../../base/text.ts";
import { member } from "../../wire/json_value.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";

/** Longer lists are refused. */
const MOST_ROOTS = 100;

/** The directory of the first root; undefined: the list is empty. The problem is worded for the user. */
export function firstRootPath(result: unknown): Outcome<string | undefined> {
  const roots = member(result, "roots");
  if (!Array.isArray(roots)) return failure('Cannot use the answer to roots/list: it has no array "roots"');
  if (roots.length > MOST_ROOTS) {
    return failure(`Cannot use the answer to roots/list: ${roots.length} roots are more than ${MOST_ROOTS}`);
  }
  const [first] = roots;
  if (first === undefined) return success(undefined);
  const uri = member(first, "uri");
  if (typeof uri !== "string") return failure('Cannot use the first root: it has no string "uri"');
  const path = pathOfUri(uri);
  return path.ok ? path : failure(`Cannot use the root "${truncate(uri, 200)}": ${path.problem}`);
}

/** The path of a `file:` URI of this machine (RFC 8089), decoded once. */
export function pathOfUri(uri: string): Outcome<string> {
  const parts = /^file:(?:\/\/([^/?#]*))?(\/[^?#]*)?([?#].*)?$/i.exec(uri);
  if (parts === null) return failure("a root is a file: URI, as in file:///home/me/project");
  const [, host = "", encoded, rest] = parts;
  if (host !== "" && host.toLowerCase() !== "localhost") return failure(`it is on another machine, "${host}"`);
  if (rest !== undefined) return failure("it has a query or a fragment, which no path has");
  if (encoded === undefined) return failure("it has no path");
  const path = attempt(URIError, () => decodeURIComponent(encoded));
  if (path === undefined) return failure("its percent-encoding is broken");
  if (path.includes("\0")) return failure("its path holds a NUL character");
  const names = path.split("/").slice(1);
  if (encoded.split("/").length !== path.split("/").length) return failure("a name in its path holds an encoded slash");
  if (names.some((name) => name === "." || name === "..")) return failure('its path holds "." or ".."');
  return success(path);
}
